// Declares a prompt on its way to the host, the host's calls that the inbox uses, and the inbox as others reach it.
import type { SessionId } from "../storage/records.ts";

/** A prompt, as it is given to the host again. */
export interface StoredPrompt {
  /** `given`: as it was admitted. `resolved`: as the host saves it, part ids included. */
  readonly form: "given" | "resolved";
  /** `none`: it is recorded, and calls no model. */
  readonly reply: "wanted" | "none";
  readonly parts: readonly Readonly<Record<string, unknown>>[];
  /** The host's own fields; null where the host shall choose. */
  readonly agent: string | null;
  readonly model: { readonly providerID: string; readonly modelID: string } | null;
  readonly variant: string | null;
  readonly system: string | null;
  readonly format: unknown;
}

export type PromptPart = Readonly<Record<string, unknown>>;

/** The options of a prompt, beside its parts; null where the host chooses. */
export type PromptOptions = Pick<StoredPrompt, "agent" | "model" | "variant" | "system" | "format">;

/** A prompt in chat.message: what is changed in `message` and `parts` is what the host saves. */
export interface ArrivingPrompt {
  readonly sessionId: SessionId;
  /** The user row as it will be saved. */
  readonly message: Record<string, unknown> & {
    readonly id: string;
    readonly agent: string;
    readonly model: {
      readonly providerID: string;
      readonly modelID: string;
      readonly variant?: string | undefined;
    };
    readonly system?: string | undefined;
    readonly format?: unknown;
  };
  readonly parts: PromptPart[];
  /** The options that the caller named. */
  readonly asked: Pick<PromptOptions, "agent" | "model" | "variant">;
}

// The host's rows and calls that the inbox uses.

/** The host would not answer; the message is in our own words, as the host's may quote a prompt. */
export class HostRefusalError extends Error {
  override readonly name = "HostRefusalError";
}

/** The fields of the host's rows that the inbox reads (OpenCode 1.18.33). */
export interface HistoryInfo {
  readonly id: string;
  readonly role: "user" | "assistant";
  /** The rest stands on one role or the other. */
  readonly parentID?: string | undefined;
  readonly finish?: string | undefined;
  readonly error?: unknown;
  readonly summary?: unknown;
  readonly structured?: unknown;
  readonly agent?: string | undefined;
  readonly model?:
    | { readonly providerID: string; readonly modelID: string; readonly variant?: string }
    | undefined;
}

export interface HistoryPart {
  readonly id?: string | undefined;
  readonly type: string;
  readonly synthetic?: boolean | undefined;
  readonly ignored?: boolean | undefined;
  readonly tool?: string | undefined;
  readonly state?: { readonly status: string } | undefined;
  readonly metadata?: unknown;
}

/** A message, as far as a boundary reads it. */
export interface HostRow {
  readonly info: { readonly id: string };
  readonly parts: readonly HistoryPart[];
}

export interface HistoryMessage extends HostRow {
  readonly info: HistoryInfo;
}

/** A prompt on its way to the host, under an id that was stored before. */
export interface Dispatch {
  readonly sessionId: SessionId;
  readonly messageId: string;
  /** The prompt's text and settings; without parts where chat.message puts the stored ones in. */
  readonly prompt: StoredPrompt;
  /** `none`: it is saved and calls no model by itself. */
  readonly reply: "wanted" | "none";
}

interface HostSession {
  readonly title: string;
  /** `undone`: an undo can still be taken back; any prompt would make it final. */
  readonly revert: "none" | "undone";
}

/** The requests that the inbox sends to the host. Each may reject. */
export interface InboxHost {
  activity(sessionId: SessionId): Promise<"busy" | "idle">;
  /** Resolves to null when there is no such session. */
  session(sessionId: SessionId): Promise<HostSession | null>;
  /** The newest messages, oldest first; all of them where there are no more than `count`. */
  history(sessionId: SessionId, count: number): Promise<readonly HistoryMessage[]>;
  /** Reads one message as it is saved; null where there is none. */
  message(sessionId: SessionId, messageId: string): Promise<SavedMessage | null>;
  /** Resolves when the host has taken the prompt in; one without a reply, when it is saved. */
  send(dispatch: Dispatch): Promise<void>;
  abort(sessionId: SessionId): Promise<void>;
}

export interface SavedMessage {
  readonly info: Readonly<Record<string, unknown>>;
  readonly partIds: readonly string[];
}

// The inbox as other plugins and features reach it: plain values in and out.

/** The way a prompt joins: `steer` the running work at its next call, `queue` when that has settled. */
export type PromptDelivery = "steer" | "queue";

/** A part of a prompt as the host takes it: `{ type: "text", text }`, or a file. */
export type PromptPartInput = Readonly<Record<string, unknown>> & { readonly type: string };

/** A prompt that another plugin admits. */
export interface PromptToAdmit {
  readonly sessionId: string;
  /** Yours, and unique among all prompts: the same again with the same prompt adds nothing. Null: a new one. */
  readonly id: string | null;
  readonly delivery: PromptDelivery;
  readonly parts: readonly PromptPartInput[];
}

/** A prompt in the inbox. */
export interface AdmittedPrompt {
  /** The admission's id. */
  readonly id: string;
  readonly sessionId: string;
  readonly delivery: PromptDelivery;
  /** The beginning of its text, in one line. */
  readonly preview: string;
  /** Milliseconds since 1970. */
  readonly admittedAtMs: number;
}

export type AdmitResult =
  | { readonly kind: "admitted"; readonly prompt: AdmittedPrompt }
  /** The prompt was admitted before, under the same id: the first admission stands. */
  | { readonly kind: "retry"; readonly prompt: AdmittedPrompt }
  /** Another prompt, delivery or session has the id: nothing was stored or sent. */
  | { readonly kind: "conflict"; readonly prompt: AdmittedPrompt };

/** `lingers`: asked to stop, and it has not settled within some seconds. */
export type InterruptResult = "stopped" | "idle" | "lingers";

/** The outcome of a resume: a word, and a sentence for people. */
export interface ResumeResult {
  readonly kind: "nothing" | "busy" | "elsewhere" | "undone" | "held" | "going-on";
  readonly message: string;
}

/** The inbox of one directory as other plugins reach it: plain values in and out. */
export interface InboxService {
  /** Returns null when the host has no such session. */
  admit(prompt: PromptToAdmit): Promise<AdmitResult | null>;
  list(sessionId: string): Promise<readonly AdmittedPrompt[]>;
  interrupt(sessionId: string): Promise<InterruptResult>;
  resume(sessionId: string): Promise<ResumeResult>;
}
