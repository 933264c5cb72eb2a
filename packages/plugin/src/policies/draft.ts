// An entry that a policy proposes.
// Folder: What should change at a boundary: each policy drafts edits; pure.
import { emptySnapshot, type SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { Anchor, Edit } from "../projection/edit.ts";

/** An entry that a policy proposes: not yet ranked, dated or stored. */
export interface Draft {
  readonly anchor: Anchor;
  /** Null for a witness: the host itself showed what `told` says. */
  readonly edit: Edit | null;
  readonly told: readonly KeyedText[];
  readonly delta: SnapshotDelta;
}

/** A draft that changes what is sent and tells nothing about the world. */
export function historyDraft(anchor: Anchor, edit: Edit): Draft {
  return { anchor, edit, told: [], delta: emptySnapshot };
}
