// Declares the events of the host that a feature may handle, in the runtime's own terms.
import type { BoundaryDecision } from "../ledger/entry.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { SentHistory } from "../ledger/revise.ts";
import type { EntryRecord, EpochRecord } from "../storage/ledger-table.ts";
import type { SessionId, TurnUsage } from "../storage/records.ts";
import type { ArrivingPrompt } from "./prompt.ts";

/** Something that has happened. Events may be missed, so state never depends on them. */
export type SessionEvent =
  | { readonly kind: "busy"; readonly sessionId: SessionId }
  /** The session has become idle, and nothing from the queue has been sent yet. */
  | { readonly kind: "idle"; readonly sessionId: SessionId }
  | { readonly kind: "compacted"; readonly sessionId: SessionId }
  | BilledEvent
  | RefusedEvent
  /** The history now has the prompt's message; its parts are about to follow. */
  | { readonly kind: "saved"; readonly sessionId: SessionId; readonly messageId: string }
  /** Something else in the session has changed. */
  | { readonly kind: "touched"; readonly sessionId: SessionId }
  /** A message was taken back. */
  | { readonly kind: "removed"; readonly sessionId: SessionId; readonly messageId: string }
  /** The session's rows have been deleted. */
  | { readonly kind: "deleted"; readonly sessionId: SessionId };

/** The provider's figures for one call, whoever made it; the same call may be reported several times. */
export interface BilledEvent {
  readonly kind: "billed";
  readonly sessionId: SessionId;
  /** The id of the answer's message. */
  readonly messageId: string;
  readonly usage: TurnUsage;
}

/** A provider refused a call of the session, and another attempt would be refused as well. */
interface RefusedEvent {
  readonly kind: "refused";
  readonly sessionId: SessionId;
  /** The provider's words: the host's message, and the body of the answer if it has one. */
  readonly said: readonly string[];
  /** The model that was called; null if the host doesn't name it. */
  readonly model: { readonly providerId: string; readonly modelId: string } | null;
}

/** A call of a session's own loop that is about to be decided; a compaction's call is not included. */
export interface BoundaryCall {
  readonly sessionId: SessionId;
  /** The history as the host has it. */
  readonly history: readonly HostMessage[];
}

/** The output that a compaction receives: more context, or another prompt. */
export interface CompactionOutput {
  context: string[];
  prompt?: string | undefined;
}

/** A tool call that has ended. */
export interface CompletedToolCall {
  readonly tool: string;
  readonly callId: string;
}

/** A call of a session's own loop whose decision is stored, just before it is sent. */
export interface OutgoingCall {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly modelId: string;
  readonly to: CallTarget;
  /** The history as it is sent. */
  readonly messages: readonly HostMessage[];
  readonly epoch: EpochRecord;
  /** The epoch's number, counted from 1 in its session. */
  readonly epochNumber: number;
  /** The entries of the call's epoch. */
  readonly entries: readonly EntryRecord[];
  readonly startedAtMs: number;
  /**
   * Called when updates that the named model (`provider/model`) had received in its instruction role were
   * sent as text.
   */
  readonly fellBack: (model: string, why: "place" | "refused") => void;
}

/** A history that has gone to the model. */
export interface SentCall extends SentHistory {
  readonly sessionId: SessionId;
}

/**
 * Hooks are called in the order of the list of features, each under its own guard: an error is reported under
 * its feature's name and affects no other hook.
 */
export interface FeatureHooks {
  /** Called once all plugins of the host have started; the host itself may not answer yet. */
  readonly started?: () => void;
  /**
   * Called with a prompt before the host saves it; the host saves the prompt with any changes made here.
   * `refuse` keeps it out of the conversation and gives the caller the reason as a sentence.
   */
  readonly arriving?: (prompt: ArrivingPrompt, refuse: (why: string) => void) => Promise<void>;
  /** Called when an MCP server of the folder has disconnected, so that calls offer fewer tools. */
  readonly serverGone?: () => Promise<void>;
  readonly onEvent?: (happening: SessionEvent) => void | Promise<void>;
  /** Called before the host asks for its summary; the text put into `output` goes to the model. */
  readonly compacting?: (sessionId: SessionId, output: CompactionOutput) => Promise<void>;
  /** Called with a result before the model reads it; changes made to the result stay in the history. */
  readonly toolSettled?: (call: CompletedToolCall, result: object) => Promise<void>;
  readonly boundary?: (call: BoundaryCall) => void | Promise<void>;
  /** Called at a boundary that has stored entries, before they are sent. */
  readonly decided?: (sessionId: SessionId, decided: BoundaryDecision) => void;
  readonly sending?: (call: OutgoingCall) => void;
  /** Called when a terminal UI with our panel has begun to show the session. */
  readonly opened?: (sessionId: SessionId) => Promise<void>;
  /** Called before a report on the session is made. */
  readonly reporting?: (sessionId: SessionId) => Promise<void>;
  /** Called after each call has been sent, except for a compaction's call. */
  readonly sent?: (history: SentCall) => void;
  /** Called when the session has become idle and the queue has had its turn. */
  readonly settled?: (sessionId: SessionId) => Promise<void>;
  readonly closed?: () => void | Promise<void>;
}

/** A model call's addressee, as the host resolved it. */
export interface CallTarget {
  readonly providerId: string;
  /** The model's name in requests. */
  readonly apiId: string;
  /** The SDK package that communicates with the provider. */
  readonly npm: string;
  /** The provider's address; null stands for the package's default. */
  readonly baseUrl: string | null;
  /** `own`: the login or another plugin sends the requests itself. */
  readonly fetch: "host" | "own";
}
