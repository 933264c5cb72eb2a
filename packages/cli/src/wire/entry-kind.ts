// Names the policy that made a ledger entry.
import { admitPrune } from "@session-runtime/opencode/ledger/admit-prune";
import { announceUpdate } from "@session-runtime/opencode/ledger/announce-update";
import { holdReminders } from "@session-runtime/opencode/ledger/hold-reminders";
import { recordShown } from "@session-runtime/opencode/ledger/record-shown";
import { recordUndo } from "@session-runtime/opencode/ledger/record-undo";
import type { EntryRecord } from "@session-runtime/opencode/storage/ledger-table";

/**
 * Classifies a ledger entry by the policy that drafted it, and a feature's entry by the effect of its edit.
 */
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
  | "restored"
  | "folded"
  /** The host itself showed the model something; nothing of ours is sent. */
  | "witness"
  /** An undo on record; nothing of ours is sent. */
  | "undo";

const KINDS: ReadonlyMap<string, EntryKind> = new Map([
  [announceUpdate.name, "update"],
  [holdReminders.name, "reminder"],
  [admitPrune.name, "pruned"],
  [recordShown.name, "witness"],
  [recordUndo.name, "undo"],
]);

const OF_VERBS = {
  insert: "inserted",
  replace: "replaced",
  omit: "omitted",
  restore: "restored",
  fold: "folded",
} as const satisfies Record<NonNullable<EntryRecord["edit"]>["verb"], EntryKind>;

export function classifyEntry({ origin, edit }: Pick<EntryRecord, "origin" | "edit">): EntryKind {
  return KINDS.get(origin) ?? (edit === null ? "witness" : OF_VERBS[edit.verb]);
}

/** Describes each kind's effect on the call. */
export const KIND_WORDS: Readonly<Record<EntryKind, string>> = {
  update: "update",
  reminder: "OpenCode's reminder, kept where it was sent",
  pruned: "result cleared by OpenCode's prune",
  inserted: "text added",
  replaced: "text replaced",
  omitted: "part left out",
  restored: "part sent as it was, kept or released",
  folded: "messages folded into one text",
  witness: "recorded: OpenCode has already shown it to the model",
  undo: "recorded: an undo removed an update",
};
