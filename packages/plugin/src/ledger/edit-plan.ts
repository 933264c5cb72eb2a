// Matches edits with the messages that they change, and finds the folds that stand.
import {
  type Edit,
  type EditOf,
  findIndices,
  type LedgerEdit,
  type ReportDormancy,
} from "./edit.ts";
import type { HostMessage } from "./message.ts";

// Finds the folds that stand, none of which overlaps another.

/** A fold that stands: the messages at indices `first` to `last`, both included, as one text. */
export interface Fold {
  readonly seq: number;
  readonly first: number;
  readonly last: number;
  readonly text: string;
  readonly joins: "prompt" | "nearest";
}

/**
 * Finds the folds that stand, none of which overlaps another. Folds are applied in ledger order. Each ends
 * those that it overlaps, unless it lies within one of them, because then its ends are no longer shown. A
 * restored part ends the fold over it.
 */
function selectFolds(
  edits: readonly LedgerEdit[],
  indexById: ReadonlyMap<string, number>,
  report: ReportDormancy,
): readonly Fold[] {
  let standing: readonly Fold[] = [];
  for (const { seq, edit } of edits) {
    if (edit.verb === "restore") {
      standing = dropCoveringFolds(standing, indexById.get(edit.at.messageId), report);
      continue;
    }
    if (edit.verb !== "fold") continue;
    const first = indexById.get(edit.first);
    const last = indexById.get(edit.last);
    if (first === undefined || last === undefined) {
      report(seq, "missing");
    } else if (first > last) {
      report(seq, "unfit");
    } else {
      standing = addFold(
        standing,
        { seq, first, last, text: edit.text, joins: edit.joins ?? "nearest" },
        report,
      );
    }
  }
  return standing;
}

/** Drops the fold over a message that is sent again. */
function dropCoveringFolds(
  standing: readonly Fold[],
  index: number | undefined,
  report: ReportDormancy,
): readonly Fold[] {
  const covers = ({ first, last }: Fold) => index !== undefined && first <= index && index <= last;
  for (const fold of standing.filter(covers)) report(fold.seq, "superseded");
  return standing.filter((fold) => !covers(fold));
}

function addFold(standing: readonly Fold[], fold: Fold, report: ReportDormancy): readonly Fold[] {
  if (standing.some((other) => liesWithin(fold, other))) {
    report(fold.seq, "folded");
    return standing;
  }
  const ended = standing.filter((other) => other.first <= fold.last && fold.first <= other.last);
  for (const other of ended) report(other.seq, "superseded");
  return [...standing.filter((other) => !ended.includes(other)), fold];
}

/** Compares strictly: a fold of the same range does not lie within the other, but takes its place. */
function liesWithin(fold: Fold, other: Fold): boolean {
  return (
    other.first <= fold.first &&
    fold.last <= other.last &&
    fold.last - fold.first < other.last - other.first
  );
}

/** An edit within a single message, so any edit but a fold. */
export type LocalEdit = LedgerEdit<Exclude<Edit, EditOf<"fold">>>;

/** Says which edits meet which messages, by the message's index. */
export interface EditPlan {
  /** The folds that stand, none of which overlaps another. */
  readonly folds: readonly Fold[];
  /** The edits by message index, in ledger order; a message that a fold covers has none. */
  readonly touched: ReadonlyMap<number, readonly LocalEdit[]>;
}

export function planEdits(
  edits: readonly LedgerEdit[],
  messages: readonly HostMessage[],
  report: ReportDormancy,
): EditPlan {
  const indexById = findEditIndices(edits, messages);
  const folds = selectFolds(edits, indexById, report);
  const touched = new Map<number, LocalEdit[]>();
  for (const { seq, edit } of edits) {
    if (edit.verb === "fold") continue;
    const index = indexById.get(getEditPlace(edit).messageId);
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

function getEditPlace(edit: LocalEdit["edit"]) {
  return edit.verb === "insert" ? edit.after : edit.at;
}

/** Finds the index of each message that an edit names. */
function findEditIndices(
  edits: readonly LedgerEdit[],
  messages: readonly HostMessage[],
): ReadonlyMap<string, number> {
  const named = new Set<string>();
  for (const { edit } of edits) {
    if (edit.verb === "fold") named.add(edit.first).add(edit.last);
    else named.add(getEditPlace(edit).messageId);
  }
  return findIndices(named, messages);
}
