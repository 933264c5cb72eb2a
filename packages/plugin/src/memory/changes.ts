// What can happen to memories and notes, and what came of it.
import type { Memory, MemoryId, Wording } from "./record.ts";

/** A change of one project's memories. */
export type MemoryChange =
  | { readonly kind: "add"; readonly wording: Wording }
  /** It was found true again; the higher importance counts. */
  | { readonly kind: "confirm"; readonly id: MemoryId; readonly importance: number }
  /** It keeps its ref; its former text stays, superseded. */
  | { readonly kind: "edit"; readonly id: MemoryId; readonly wording: Partial<Wording> }
  | { readonly kind: "archive"; readonly id: MemoryId }
  | { readonly kind: "restore"; readonly id: MemoryId }
  /** One in place of several, which are superseded by it. */
  | { readonly kind: "merge"; readonly ids: readonly MemoryId[]; readonly wording: Wording };

export type ChangeOutcome =
  | { readonly kind: "done"; readonly memory: Memory }
  /** An active memory has the same words: it stands for both. */
  | { readonly kind: "known"; readonly memory: Memory }
  /** The project has no such memory. */
  | { readonly kind: "missing" };
