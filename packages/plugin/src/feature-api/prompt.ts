// A prompt on its way to the host: as it arrives, and as it is kept.
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
