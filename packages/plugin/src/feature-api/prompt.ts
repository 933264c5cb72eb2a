// Declares a prompt on its way to the host, the host calls that the inbox uses, and the inbox as others use it.
import type { SessionId } from "../storage/records.ts";

/** A prompt, stored so that it can be given to the host again. */
export interface StoredPrompt {
  /**
   * `given`: the prompt as it was admitted. `resolved`: the prompt as the host saves it, including part ids.
   */
  readonly form: "given" | "resolved";
  /** `none`: the prompt is recorded and calls no model. */
  readonly reply: "wanted" | "none";
  readonly parts: readonly Readonly<Record<string, unknown>>[];
  /** The fields from here on are the host's; null lets the host choose. */
  readonly agent: string | null;
  readonly model: { readonly providerID: string; readonly modelID: string } | null;
  readonly variant: string | null;
  readonly system: string | null;
  readonly format: unknown;
}

export type PromptPart = Readonly<Record<string, unknown>>;

/** The options of a prompt, apart from its parts; an option that is null is left to the host. */
export type PromptOptions = Pick<StoredPrompt, "agent" | "model" | "variant" | "system" | "format">;

/** A prompt in chat.message; the host saves the changes made to `message` and `parts`. */
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

/** Thrown if the host refuses. The message is in our own words, because the host's might quote a prompt. */
export class HostRefusalError extends Error {
  override readonly name = "HostRefusalError";
}

/** The fields of the host's rows that the inbox reads (OpenCode 1.18.33). */
export interface HistoryInfo {
  readonly id: string;
  readonly role: "user" | "assistant";
  /** The remaining fields belong to one role or the other. */
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

/** A message, reduced to what a boundary reads. */
export interface HostRow {
  readonly info: { readonly id: string };
  readonly parts: readonly HistoryPart[];
}

export interface HistoryMessage extends HostRow {
  readonly info: HistoryInfo;
}

/** A prompt on its way to the host, under an id that has already been stored. */
export interface Dispatch {
  readonly sessionId: SessionId;
  readonly messageId: string;
  /** The prompt's text and settings; it has no parts if chat.message supplies the stored ones. */
  readonly prompt: StoredPrompt;
  /** `none`: the prompt is saved and calls no model by itself. */
  readonly reply: "wanted" | "none";
}

interface HostSession {
  readonly title: string;
  /** `undone`: an undo can still be reversed; any prompt would make it final. */
  readonly revert: "none" | "undone";
}

/** The requests that the inbox sends to the host. Each may reject. */
export interface InboxHost {
  activity(sessionId: SessionId): Promise<"busy" | "idle">;
  /** Resolves to null when there is no such session. */
  session(sessionId: SessionId): Promise<HostSession | null>;
  /** Returns the newest messages, oldest first; all messages if there are no more than `count`. */
  history(sessionId: SessionId, count: number): Promise<readonly HistoryMessage[]>;
  /** Reads one message as it is saved; null if there is none. */
  message(sessionId: SessionId, messageId: string): Promise<SavedMessage | null>;
  /** Resolves once the host has accepted the prompt or, if it wants no reply, has saved it. */
  send(dispatch: Dispatch): Promise<void>;
  abort(sessionId: SessionId): Promise<void>;
}

export interface SavedMessage {
  readonly info: Readonly<Record<string, unknown>>;
  readonly partIds: readonly string[];
}

// Declares the inbox as other plugins and features use it, with plain values in and out.

/** When a prompt joins: `steer` at the running work's next call, `queue` once that work has settled. */
export type PromptDelivery = "steer" | "queue";

/** A part of a prompt as the host accepts it: `{ type: "text", text }`, or a file. */
export type PromptPartInput = Readonly<Record<string, unknown>> & { readonly type: string };

/** A prompt that another plugin admits. */
export interface PromptToAdmit {
  readonly sessionId: string;
  /**
   * The caller's id, unique among all prompts: repeating it with the same prompt adds nothing. Null for a new
   * id.
   */
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
  /** The beginning of the prompt's text, on one line. */
  readonly preview: string;
  /** Milliseconds since 1970. */
  readonly admittedAtMs: number;
}

export type AdmitResult =
  | { readonly kind: "admitted"; readonly prompt: AdmittedPrompt }
  /** The prompt was already admitted under the same id, so the first admission stands. */
  | { readonly kind: "retry"; readonly prompt: AdmittedPrompt }
  /** The id belongs to another prompt, delivery or session, so nothing was stored or sent. */
  | { readonly kind: "conflict"; readonly prompt: AdmittedPrompt };

/** `lingers`: the turn was asked to stop and has not settled within some seconds. */
export type InterruptResult = "stopped" | "idle" | "lingers";

/** The outcome of a resume: a kind, and a sentence for people. */
export interface ResumeResult {
  readonly kind: "nothing" | "busy" | "elsewhere" | "undone" | "held" | "going-on";
  readonly message: string;
}

/** The inbox of one directory as other plugins use it, with plain values in and out. */
export interface InboxService {
  /** Returns null if the host has no such session. */
  admit(prompt: PromptToAdmit): Promise<AdmitResult | null>;
  list(sessionId: string): Promise<readonly AdmittedPrompt[]>;
  interrupt(sessionId: string): Promise<InterruptResult>;
  resume(sessionId: string): Promise<ResumeResult>;
}
