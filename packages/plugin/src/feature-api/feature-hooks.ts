// Declares the events of the host that a feature may handle, in the runtime's own terms.
import type { BoundaryDecision } from "../ledger/entry.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { SentHistory } from "../ledger/revise.ts";
import type { EntryRecord, EpochRecord } from "../storage/ledger-table.ts";
import type { SessionId, TurnUsage } from "../storage/records.ts";
import type { ArrivingPrompt } from "./prompt.ts";

/** Something that has happened. State never depends on it: one may be missed. */
export type SessionEvent =
  | { readonly kind: "busy"; readonly sessionId: SessionId }
  /** The session has settled, and nothing of the queue has been sent yet. */
  | { readonly kind: "idle"; readonly sessionId: SessionId }
  | { readonly kind: "compacted"; readonly sessionId: SessionId }
  | BilledEvent
  | RefusedEvent
  /** The history has a prompt now; its parts are about to follow. */
  | { readonly kind: "saved"; readonly sessionId: SessionId; readonly messageId: string }
  /** Something else of the session has changed. */
  | { readonly kind: "touched"; readonly sessionId: SessionId }
  /** A message was taken back. */
  | { readonly kind: "removed"; readonly sessionId: SessionId; readonly messageId: string }
  /** The session's rows are deleted. */
  | { readonly kind: "deleted"; readonly sessionId: SessionId };

/** The provider's figures of one call, whoever made it; each may come several times. */
export interface BilledEvent {
  readonly kind: "billed";
  readonly sessionId: SessionId;
  /** The answer's. */
  readonly messageId: string;
  readonly usage: TurnUsage;
}

/** A provider refused a call of the session, and another attempt would be refused as well. */
interface RefusedEvent {
  readonly kind: "refused";
  readonly sessionId: SessionId;
  /** The provider's words: the host's message, and the answer's body where there is one. */
  readonly said: readonly string[];
  /** The model that was called; null: the host doesn't name it. */
  readonly model: { readonly providerId: string; readonly modelId: string } | null;
}

/** A call of a session's own loop that is about to be decided; a compaction's own is none. */
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

/** A tool call that is over. */
export interface CompletedToolCall {
  readonly tool: string;
  readonly callId: string;
}

/** A call of a session's own loop whose decision is stored, and which is about to be sent. */
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
  /** The entries of its epoch. */
  readonly entries: readonly EntryRecord[];
  readonly startedAtMs: number;
  /** Updates that this model (`provider/model`) had been sent in its own role went as text. */
  readonly fellBack: (model: string, why: "place" | "refused") => void;
}

/** A history that has gone to the model. */
export interface SentCall extends SentHistory {
  readonly sessionId: SessionId;
}

/**
 * Hooks are called in the order of the list of features, each guarded by itself: an error is reported
 * under its feature's name, and costs no other one.
 */
export interface FeatureHooks {
  /** Called when all plugins of the host have started; the host itself may not answer yet. */
  readonly started?: () => void;
  /**
   * A prompt before the host saves it: what is changed in it is what the host saves. `refuse` keeps it
   * out of the conversation, with the sentence that the caller reads.
   */
  readonly arriving?: (prompt: ArrivingPrompt, refuse: (why: string) => void) => Promise<void>;
  /** An MCP server of the folder is connected no more: calls offer fewer tools. */
  readonly serverGone?: () => Promise<void>;
  readonly onEvent?: (happening: SessionEvent) => void | Promise<void>;
  /** Called before the host's summary is asked for; the text put into `output` goes to the model. */
  readonly compacting?: (sessionId: SessionId, output: CompactionOutput) => Promise<void>;
  /** A result before the model reads it; what is changed in it stays so in the history. */
  readonly toolSettled?: (call: CompletedToolCall, result: object) => Promise<void>;
  readonly boundary?: (call: BoundaryCall) => void | Promise<void>;
  /** Called at a boundary that has stored entries, before they are sent. */
  readonly decided?: (sessionId: SessionId, decided: BoundaryDecision) => void;
  readonly sending?: (call: OutgoingCall) => void;
  /** A terminal UI with our panel has begun to show the session. */
  readonly opened?: (sessionId: SessionId) => Promise<void>;
  /** A report on the session is about to be made. */
  readonly reporting?: (sessionId: SessionId) => Promise<void>;
  /** Called after the send of each call but a compaction's own. */
  readonly sent?: (history: SentCall) => void;
  /** The session has come to rest, and the queue has had its turn. */
  readonly settled?: (sessionId: SessionId) => Promise<void>;
  readonly closed?: () => void | Promise<void>;
}

/** A model call's addressee, as the host resolved it. */
export interface CallTarget {
  readonly providerId: string;
  /** The model's name in requests. */
  readonly apiId: string;
  /** The package that speaks to the provider. */
  readonly npm: string;
  /** The provider's address; null stands for the package's own. */
  readonly baseUrl: string | null;
  /** `own`: the login, or another plugin, sends requests by itself. */
  readonly fetch: "host" | "own";
}
