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
