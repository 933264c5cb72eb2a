// Puts rewrites into words.
import type { RewriteReason } from "../../history/plan.ts";
import { count, counted, formatAgo } from "../../status/wording.ts";
import type { HistoryStatus, RewriteStatus } from "./rewrite-status.ts";
import type { RewriteRecord } from "./rewrite-store.ts";

function describeReason(reason: RewriteReason): string {
  switch (reason) {
    case "cold":
      return "as the cache was dead";
    case "worth":
      return "as it paid";
    case "pressure":
      return "to fit the window";
    case "asked":
      return "as you asked";
  }
}

/** Describes what a rewrite did: `31 parts dropped, 12 messages folded`. */
function describeEdits({ drops, folds }: Pick<RewriteRecord, "drops" | "folds">): string {
  const done = [
    ...(drops > 0 ? [`${counted(drops, "part")} dropped`] : []),
    ...(folds > 0 ? ["older messages folded"] : []),
  ];
  return done.join(", ");
}

type RewritePrice = Pick<
  RewriteStatus,
  "state" | "costTokens" | "savedTokens" | "savedSoFar" | "calls"
>;

/** States what the rewrite cost and what it has saved. */
function describePrice(rewrite: RewritePrice): string {
  const { state, costTokens, savedTokens, savedSoFar, calls } = rewrite;
  switch (state) {
    case "undone":
      return "taken back by an undo";
    case "holds":
    case "over": {
      const cost = costTokens === 0 ? "free" : `cost ${count(costTokens)}`;
      const over = state === "over" ? "until the compaction" : "so far";
      return `${cost}, spares ${count(savedTokens)} a call, ${count(savedSoFar)} in ${counted(calls, "call")} ${over}`;
    }
  }
}

export function rewriteLine(rewrite: RewriteStatus, nowMs: number): string {
  const { atMs, reason } = rewrite;
  return `${formatAgo(atMs, nowMs)}, ${describeReason(reason)}: ${describeEdits(rewrite)}; ${describePrice(rewrite)}`;
}

/** Describes a rewrite for a place that shows its time beside it. */
export function describeRewrite(
  rewrite: RewritePrice & Pick<RewriteStatus, "reason" | "drops" | "folds">,
): string {
  return `${describeEdits(rewrite)}, ${describeReason(rewrite.reason)}; ${describePrice(rewrite)}`;
}

/** States what is folded and dropped now; null if nothing is. */
export function droppedLine(status: HistoryStatus): string | null {
  const { savedTokens, foldedMessages, foldTokens, droppedParts } = status;
  const gone = [
    ...(foldedMessages > 0
      ? [
          `${counted(foldedMessages, "message")} folded into a record of about ${count(foldTokens)} tokens`,
        ]
      : []),
    ...(droppedParts > 0 ? [`${counted(droppedParts, "old part")} dropped`] : []),
  ];
  if (gone.length === 0) return null;
  return `${gone.join(", ")}. Each call is spared about ${count(savedTokens)} tokens.`;
}

/** Holds the protected tail and the two sums that it is adapted from. */
export type TailReport = Pick<RewriteRecord, "keepTokens" | "regretTokens" | "sparedTokens">;

export function tailLine({ keepTokens, regretTokens, sparedTokens }: TailReport): string {
  const regret =
    regretTokens === 0
      ? ""
      : ` What was asked for again has lately cost ${count(regretTokens)}, against ${count(sparedTokens)} spared.`;
  return `The newest ${count(keepTokens)} tokens are sent verbatim.${regret}`;
}

export function sumLine({ rewrites, costTokens, savedSoFar }: HistoryStatus): string {
  return `${counted(rewrites.length, "rewrite")} cost ${count(costTokens)} and spared ${count(savedSoFar)}, in tokens at the price of uncached input.`;
}
