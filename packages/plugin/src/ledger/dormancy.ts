// Names the reasons why an edit takes no effect now.

/**
 * The reasons why an edit takes no effect now:
 * - `missing`: its place is not in the history (withdrawn by an undo, or lost with a compaction);
 * - `folded`: its place lies inside a fold that stands;
 * - `superseded`: a later edit of the same place stands in its stead;
 * - `unfit`: what is there can't be changed so (a call without its result, a reversed range);
 * - `opening`: it would leave the session's first message empty.
 */
export type Dormancy = "missing" | "folded" | "superseded" | "unfit" | "opening";

/** Receives each dormant edit. */
export type ReportDormancy = (seq: number, why: Dormancy) => void;
