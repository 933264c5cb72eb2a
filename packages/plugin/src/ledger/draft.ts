// A policy's draft: an entry that is not yet ranked, dated or stored.
import { emptySnapshot, type SnapshotDelta } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { Anchor, Edit } from "./edit.ts";

export interface Draft {
  readonly anchor: Anchor;
  /** The edit; null for a witness (the host itself showed what `announced` says) and for an undo on record. */
  readonly edit: Edit | null;
  readonly announced: readonly KeyedText[];
  readonly delta: SnapshotDelta;
  /** The id of the proposal that it comes from; null if the policy drafted it unasked. */
  readonly proposal: number | null;
}

/** A draft with the name of the policy that made it. */
export interface NamedDraft extends Draft {
  readonly origin: string;
}

/** Makes a draft that changes what is sent and announces nothing. */
export function historyDraft(edit: Edit): Draft {
  return { anchor: editAnchor(edit), edit, announced: [], delta: emptySnapshot, proposal: null };
}

/** Returns the edit's place; a fold's is its first message. */
function editAnchor(edit: Edit): Anchor {
  switch (edit.verb) {
    case "insert":
      return edit.after;
    case "replace":
    case "omit":
    case "restore":
      return edit.at;
    case "fold":
      return { messageId: edit.first, partId: null };
  }
}
