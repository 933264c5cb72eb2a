// The form of an update per model, and its store's interface.
import type { SessionId } from "./records.ts";

/** How an update stands in a model's history: as its own instruction role, or as wrapped text. */
export type EntryForm = "native" | "wrapped";

/** `first`: so it was first sent. Else why it went from native to wrapped: its place, or a 400. */
export type FormCause = "first" | "place" | "refused";

/** Whose history: forms are kept per model, as prefixes are. */
export interface FormOwner {
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly modelId: string;
}

export interface FormDecision {
  readonly entrySeq: number;
  readonly form: EntryForm;
  readonly cause: FormCause;
}

/** A native form may become wrapped, once; a wrapped one stays. */
export interface FormStore {
  of(owner: FormOwner): ReadonlyMap<number, EntryForm>;
  /** All or none; what is wrapped already stays as it is. */
  decide(owner: FormOwner, decisions: readonly FormDecision[], atMs: number): void;
  /** Whether the provider has refused the native form for this model since then. */
  refusedSince(providerId: string, modelId: string, sinceMs: number): boolean;
}
