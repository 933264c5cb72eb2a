// Which policy made a ledger entry.
import { PRUNED_RESULT } from "../../../plugin/src/policies/admit-prune.ts";
import type { EntryRecord } from "../../../plugin/src/storage/records.ts";

/** Which policy an entry of the ledger comes from, by what it holds. */
export type EntryKind =
  /** A Mid-Conversation System Message. */
  | "update"
  /** A reminder that the host sends once and forgets. */
  | "reminder"
  /** A tool result that the host's prune has cleared, let through at a cold boundary. */
  | "pruned"
  | "replaced"
  | "omitted"
  | "folded"
  /** The host itself showed the model something; nothing of ours is sent. */
  | "witness"
  /** An undo on record; nothing of ours is sent. */
  | "undo";

export function kindOf({ edit, told, partId }: EntryRecord): EntryKind {
  if (edit === null) return partId === null ? "undo" : "witness";
  switch (edit.verb) {
    case "insert":
      return told.length > 0 ? "update" : "reminder";
    case "replace":
      return edit.text === PRUNED_RESULT ? "pruned" : "replaced";
    case "omit":
      return "omitted";
    case "fold":
      return "folded";
  }
}

/** What it does to the call, in words. */
export function sayKind(kind: EntryKind): string {
  switch (kind) {
    case "update":
      return "update";
    case "reminder":
      return "the host's reminder, held where it was sent";
    case "pruned":
      return "result cleared, as the host's prune has it";
    case "replaced":
      return "text replaced";
    case "omitted":
      return "part left out";
    case "folded":
      return "messages folded into one text";
    case "witness":
      return "noted: the host showed it itself";
    case "undo":
      return "noted: an undo took news back";
  }
}
