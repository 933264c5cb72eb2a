// Which policy made a ledger entry.
import { admitPrune } from "../../../plugin/src/policies/admit-prune.ts";
import { holdReminders } from "../../../plugin/src/policies/hold-reminders.ts";
import { recordShown } from "../../../plugin/src/policies/record-shown.ts";
import { recordUndo } from "../../../plugin/src/policies/record-undo.ts";
import { tellUpdate } from "../../../plugin/src/policies/tell-update.ts";
import type { EntryRecord } from "../../../plugin/src/storage/records.ts";

/** What an entry of the ledger is, by the policy that drafted it; of a feature, by what its edit does. */
export type EntryKind =
  /** A Mid-Conversation System Message. */
  | "update"
  /** A reminder that the host sends once and forgets. */
  | "reminder"
  /** A tool result that the host's prune has cleared, let through at a cold boundary. */
  | "pruned"
  | "inserted"
  | "replaced"
  | "omitted"
  | "folded"
  /** The host itself showed the model something; nothing of ours is sent. */
  | "witness"
  /** An undo on record; nothing of ours is sent. */
  | "undo";

const KINDS: ReadonlyMap<string, EntryKind> = new Map([
  [tellUpdate.name, "update"],
  [holdReminders.name, "reminder"],
  [admitPrune.name, "pruned"],
  [recordShown.name, "witness"],
  [recordUndo.name, "undo"],
]);

export function kindOf({ origin, edit }: Pick<EntryRecord, "origin" | "edit">): EntryKind {
  return KINDS.get(origin) ?? (edit === null ? "witness" : kindOfEdit(edit));
}

function kindOfEdit({ verb }: NonNullable<EntryRecord["edit"]>): EntryKind {
  switch (verb) {
    case "insert":
      return "inserted";
    case "replace":
      return "replaced";
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
    case "inserted":
      return "text added";
    case "replaced":
      return "text replaced";
    case "omitted":
      return "part left out";
    case "folded":
      return "messages folded into one text";
    case "witness":
      return "noted: the host showed it itself";
    case "undo":
      return "noted: an undo took an update back";
  }
}
