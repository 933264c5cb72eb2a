// Finds the folds that stand, none overlapping another.
import type { ReportDormancy } from "./dormancy.ts";
import type { LedgerEdit } from "./edit.ts";

/** A fold that stands: the messages at indices `first` to `last`, both included, as one text. */
export interface Fold {
  readonly seq: number;
  readonly first: number;
  readonly last: number;
  readonly text: string;
  readonly joins: "prompt" | "nearest";
}

/**
 * Finds the folds that stand, none overlapping another. Applied in ledger order, each ends those that it
 * overlaps, unless it lies within one, because its ends are not shown any more. A restored part ends the fold
 * over it.
 */
export function standingFolds(
  edits: readonly LedgerEdit[],
  indexById: ReadonlyMap<string, number>,
  report: ReportDormancy,
): readonly Fold[] {
  let standing: readonly Fold[] = [];
  for (const { seq, edit } of edits) {
    if (edit.verb === "restore") {
      standing = ended(standing, indexById.get(edit.at.messageId), report);
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
function ended(
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

/** Compares strictly: a fold of the same range is not within the other but takes its place. */
function liesWithin(fold: Fold, other: Fold): boolean {
  return (
    other.first <= fold.first &&
    fold.last <= other.last &&
    fold.last - fold.first < other.last - other.first
  );
}
