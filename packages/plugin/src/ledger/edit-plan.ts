// Matches edits with the messages that they change.
import type { ReportDormancy } from "./dormancy.ts";
import type { Edit, EditOf, LedgerEdit } from "./edit.ts";
import { type Fold, standingFolds } from "./folds.ts";
import type { HostMessage } from "./message.ts";
import { findIndices } from "./places.ts";

/** An edit within one message, so any but a fold. */
export type LocalEdit = LedgerEdit<Exclude<Edit, EditOf<"fold">>>;

/** Says which edits meet which messages, by the message's index. */
export interface EditPlan {
  /** The folds that stand, none overlapping another. */
  readonly folds: readonly Fold[];
  /** The edits per message index in ledger order; a message that a fold covers has none. */
  readonly touched: ReadonlyMap<number, readonly LocalEdit[]>;
}

export function planEdits(
  edits: readonly LedgerEdit[],
  messages: readonly HostMessage[],
  report: ReportDormancy,
): EditPlan {
  const indexById = locate(edits, messages);
  const folds = standingFolds(edits, indexById, report);
  const touched = new Map<number, LocalEdit[]>();
  for (const { seq, edit } of edits) {
    if (edit.verb === "fold") continue;
    const index = indexById.get(editPlace(edit).messageId);
    if (index === undefined) {
      report(seq, "missing");
    } else if (folds.some(({ first, last }) => first <= index && index <= last)) {
      report(seq, "folded");
    } else {
      const local = touched.get(index);
      if (local) local.push({ seq, edit });
      else touched.set(index, [{ seq, edit }]);
    }
  }
  return { folds, touched };
}

function editPlace(edit: LocalEdit["edit"]) {
  return edit.verb === "insert" ? edit.after : edit.at;
}

/** Finds the index of each message that an edit names. */
function locate(
  edits: readonly LedgerEdit[],
  messages: readonly HostMessage[],
): ReadonlyMap<string, number> {
  const named = new Set<string>();
  for (const { edit } of edits) {
    if (edit.verb === "fold") named.add(edit.first).add(edit.last);
    else named.add(editPlace(edit).messageId);
  }
  return findIndices(named, messages);
}
