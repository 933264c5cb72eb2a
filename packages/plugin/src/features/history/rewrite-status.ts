// Computes which of a session's rewrites still hold and what each has saved since; pure.
import type { ActiveLedger } from "../../status/active-ledger.ts";
import type { EpochRecord } from "../../storage/ledger-table.ts";
import type { TurnUsage } from "../../storage/records.ts";
import type { TurnFigures } from "../../storage/turn-figures.ts";
import type { RewriteRecord } from "./rewrite-store.ts";

export type EpochStart = Pick<EpochRecord, "seq" | "cause" | "startedAtMs">;

/** Holds what is needed of a call to place and price it. */
export type CallFigures = Pick<TurnFigures, "sentAtMs" | "epochSeq" | "usage">;

interface RewritesInput {
  /** Rewrites are in order of rank. */
  readonly rewrites: readonly RewriteRecord[];
  /** Calls are in order of time. */
  readonly calls: readonly CallFigures[];
  /** Epochs are in order of rank. */
  readonly epochs: readonly EpochStart[];
  /** It is null without the host's history; the calls then show what an undo took back. */
  readonly shown: ActiveLedger | null;
}

/**
 * `holds`: calls are still smaller by it. `undone`: an undo took back what was folded or dropped. `over`: the host's
 * compaction has removed all of it from the conversation.
 */
type RewriteState = "holds" | "undone" | "over";

export interface RewriteStatus extends RewriteRecord {
  readonly state: RewriteState;
  /** The number of calls that were smaller by it, its own among them, as far as the provider has reported on them. */
  readonly calls: number;
  /** The extra cost of those calls without it, in input tokens; the cost of the rewrite is not subtracted. */
  readonly savedSoFar: number;
}

export interface HistoryStatus {
  /** Rewrites, oldest first. */
  readonly rewrites: readonly RewriteStatus[];
  /** The tokens that each call saves now. */
  readonly savedTokens: number;
  readonly foldedMessages: number;
  readonly foldTokens: number;
  readonly droppedParts: number;
  /** The cost of all rewrites that were not undone, in input tokens. */
  readonly costTokens: number;
  readonly savedSoFar: number;
}

export function readRewrites(input: RewritesInput): HistoryStatus {
  const rewrites = input.rewrites.map((rewrite) => toRewriteStatus(rewrite, input));
  const holding = rewrites.filter(({ state }) => state === "holds");
  const counted = rewrites.filter(({ state }) => state !== "undone");
  const newest = holding.at(-1);
  const sum = (some: readonly RewriteStatus[], of: "savedTokens" | "costTokens" | "savedSoFar") =>
    some.reduce((all, one) => all + one[of], 0);
  return {
    rewrites,
    // Each rewrite's savings start from the history that the one before left, so they can be added.
    savedTokens: sum(holding, "savedTokens"),
    foldedMessages: newest?.foldedMessages ?? 0,
    foldTokens: newest?.foldTokens ?? 0,
    droppedParts: newest?.droppedParts ?? 0,
    costTokens: sum(counted, "costTokens"),
    savedSoFar: sum(counted, "savedSoFar"),
  };
}

function toRewriteStatus(rewrite: RewriteRecord, input: RewritesInput): RewriteStatus {
  if (isUndone(rewrite, input)) return { ...rewrite, state: "undone", calls: 0, savedSoFar: 0 };
  const over = input.epochs.find(
    ({ cause, startedAtMs }) => cause === "compacted" && startedAtMs > rewrite.atMs,
  );
  const untilMs = over?.startedAtMs ?? Number.POSITIVE_INFINITY;
  const spared = input.calls.flatMap(({ sentAtMs, usage }) =>
    usage !== null && sentAtMs >= rewrite.atMs && sentAtMs < untilMs
      ? [rewrite.savedTokens * rewriteRate(rewrite, sentAtMs, usage)]
      : [],
  );
  return {
    ...rewrite,
    state: over ? "over" : "holds",
    calls: spared.length,
    savedSoFar: Math.round(spared.reduce((all, one) => all + one, 0)),
  };
}

/** A call that read nothing from the cache would have written the tokens that it was spared. */
function rewriteRate(rewrite: RewriteRecord, sentAtMs: number, usage: TurnUsage): number {
  const isCold = rewrite.reason === "cold" && sentAtMs === rewrite.atMs;
  return isCold || usage.cacheReadTokens === 0 ? rewrite.writeRate : rewrite.readRate;
}

/**
 * Checks the rewrite's own message if the host's messages are known; otherwise looks for later calls in an earlier
 * epoch.
 */
function isUndone(rewrite: RewriteRecord, { calls, shown }: RewritesInput): boolean {
  const { epochSeq, atMs } = rewrite;
  if (shown) {
    const place = rewrite.folds > 0 ? rewrite.lastMessageId : rewrite.firstMessageId;
    return !shown.messageIds.has(place) || (shown.epochSeq ?? 0) < epochSeq;
  }
  return calls.some((call) => call.sentAtMs > atMs && call.epochSeq < epochSeq);
}
