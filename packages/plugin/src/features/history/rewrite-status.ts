// Reads a session's rewrites, computes which ones hold and what each has saved, and describes them.
import type { RewriteReason } from "../../history/plan.ts";
import type { ActiveLedger } from "../../status/section.ts";
import { formatAgo, formatCount, renderCount } from "../../status/wording.ts";
import type { Driver, SqlRow } from "../../storage/driver.ts";
import type { EpochRecord } from "../../storage/ledger-table.ts";
import type { EpochCause, SessionId, TurnUsage } from "../../storage/records.ts";
import {
  TURN_FIGURE_COLUMNS,
  type TurnFigures,
  toTurnFigures,
} from "../../storage/turn-figures.ts";
import { createRewriteStore, type RewriteRecord } from "./rewrite-store.ts";

type EpochStart = Pick<EpochRecord, "seq" | "cause" | "startedAtMs">;

/** Holds what is needed to place and price a call. */
export type CallFigures = Pick<TurnFigures, "sentAtMs" | "epochSeq" | "usage">;

interface RewritesInput {
  /** The rewrites, in order of rank. */
  readonly rewrites: readonly RewriteRecord[];
  /** The calls, in order of time. */
  readonly calls: readonly CallFigures[];
  /** The epochs, in order of rank. */
  readonly epochs: readonly EpochStart[];
  /**
   * The ledger as the host's history shows it; null without that history, in which case the calls show what
   * an undo took back.
   */
  readonly shown: ActiveLedger | null;
}

/**
 * `holds`: the rewrite still makes calls smaller. `undone`: an undo took back what was folded or dropped.
 * `over`: the host's compaction has removed all of it from the conversation.
 */
type RewriteState = "holds" | "undone" | "over";

export interface RewriteStatus extends RewriteRecord {
  readonly state: RewriteState;
  /**
   * The number of calls that the rewrite made smaller, including its own, as far as the provider has reported
   * on them.
   */
  readonly calls: number;
  /**
   * How much more those calls would have cost without the rewrite, in input tokens, before the rewrite's own
   * cost.
   */
  readonly savedSoFar: number;
}

export interface HistoryStatus {
  /** The rewrites, oldest first. */
  readonly rewrites: readonly RewriteStatus[];
  /** The number of tokens that each call now saves. */
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
    // Each rewrite's savings are relative to the history that the previous one left, so they can be added up.
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
      ? [rewrite.savedTokens * resolveRewriteRate(rewrite, sentAtMs, usage)]
      : [],
  );
  return {
    ...rewrite,
    state: over ? "over" : "holds",
    calls: spared.length,
    savedSoFar: Math.round(spared.reduce((all, one) => all + one, 0)),
  };
}

/**
 * Returns the rate at which saved tokens would have been charged. A call that read nothing from the cache
 * would have written them.
 */
function resolveRewriteRate(rewrite: RewriteRecord, sentAtMs: number, usage: TurnUsage): number {
  const isCold = rewrite.reason === "cold" && sentAtMs === rewrite.atMs;
  return isCold || usage.cacheReadTokens === 0 ? rewrite.writeRate : rewrite.readRate;
}

/**
 * Says whether a rewrite was undone: by its own message if the host's messages are known, otherwise by later
 * calls in an earlier epoch.
 */
function isUndone(rewrite: RewriteRecord, { calls, shown }: RewritesInput): boolean {
  const { epochSeq, atMs } = rewrite;
  if (shown) {
    const place = rewrite.folds > 0 ? rewrite.lastMessageId : rewrite.firstMessageId;
    return !shown.messageIds.has(place) || (shown.epochSeq ?? 0) < epochSeq;
  }
  return calls.some((call) => call.sentAtMs > atMs && call.epochSeq < epochSeq);
}

// Describes rewrites in words.

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
    ...(drops > 0 ? [`${renderCount(drops, "part")} dropped`] : []),
    ...(folds > 0 ? ["older messages folded"] : []),
  ];
  return done.join(", ");
}

type RewritePrice = Pick<
  RewriteStatus,
  "state" | "costTokens" | "savedTokens" | "savedSoFar" | "calls"
>;

/** Describes what the rewrite cost and what it has saved. */
function describePrice(rewrite: RewritePrice): string {
  const { state, costTokens, savedTokens, savedSoFar, calls } = rewrite;
  switch (state) {
    case "undone":
      return "taken back by an undo";
    case "holds":
    case "over": {
      const cost = costTokens === 0 ? "free" : `cost ${formatCount(costTokens)}`;
      const over = state === "over" ? "until the compaction" : "so far";
      return `${cost}, spares ${formatCount(savedTokens)} a call, ${formatCount(savedSoFar)} in ${renderCount(calls, "call")} ${over}`;
    }
  }
}

export function renderRewrite(rewrite: RewriteStatus, nowMs: number): string {
  const { atMs, reason } = rewrite;
  return `${formatAgo(atMs, nowMs)}, ${describeReason(reason)}: ${describeEdits(rewrite)}; ${describePrice(rewrite)}`;
}

/** Describes a rewrite for a place that shows the rewrite's time next to it. */
export function describeRewrite(
  rewrite: RewritePrice & Pick<RewriteStatus, "reason" | "drops" | "folds">,
): string {
  return `${describeEdits(rewrite)}, ${describeReason(rewrite.reason)}; ${describePrice(rewrite)}`;
}

/** Describes what is now folded and dropped; null if nothing is. */
export function renderDropped(status: HistoryStatus): string | null {
  const { savedTokens, foldedMessages, foldTokens, droppedParts } = status;
  const gone = [
    ...(foldedMessages > 0
      ? [
          `${renderCount(foldedMessages, "message")} folded into a record of about ${formatCount(foldTokens)} tokens`,
        ]
      : []),
    ...(droppedParts > 0 ? [`${renderCount(droppedParts, "old part")} dropped`] : []),
  ];
  if (gone.length === 0) return null;
  return `${gone.join(", ")}. Each call is spared about ${formatCount(savedTokens)} tokens.`;
}

/** Holds the protected tail and the two sums by which its size is adapted. */
export type TailReport = Pick<RewriteRecord, "keepTokens" | "regretTokens" | "sparedTokens">;

export function renderTail({ keepTokens, regretTokens, sparedTokens }: TailReport): string {
  const regret =
    regretTokens === 0
      ? ""
      : ` What was asked for again has lately cost ${formatCount(regretTokens)}, against ${formatCount(sparedTokens)} spared.`;
  return `The newest ${formatCount(keepTokens)} tokens are sent verbatim.${regret}`;
}

export function renderTotals({ rewrites, costTokens, savedSoFar }: HistoryStatus): string {
  return `${renderCount(rewrites.length, "rewrite")} cost ${formatCount(costTokens)} and spared ${formatCount(savedSoFar)}, in tokens at the price of uncached input.`;
}

// Reads a session's rewrites together with the calls and epochs that determine their effect.

/** Creates a reader that returns null if nothing in the session was rewritten. */
export function createHistoryReader(driver: Driver) {
  const store = createRewriteStore(driver);
  return (sessionId: SessionId, shown: ActiveLedger | null): HistoryStatus | null => {
    const rewrites = store.of(sessionId);
    const [first] = rewrites;
    if (first === undefined) return null;
    const calls = driver.all(SELECT_CALLS, sessionId, first.atMs).map(toTurnFigures);
    const epochs = driver.all(SELECT_EPOCHS, sessionId).map(toEpochStart);
    return readRewrites({ rewrites, calls, epochs, shown });
  };
}

const SELECT_CALLS = `
  SELECT ${TURN_FIGURE_COLUMNS} FROM turn WHERE session_id = ? AND sent_at_ms >= ? ORDER BY seq`;

const SELECT_EPOCHS = `
  SELECT seq, cause, started_at_ms FROM epoch WHERE session_id = ? ORDER BY seq`;

function toEpochStart(row: SqlRow): EpochStart {
  return {
    seq: Number(row.seq),
    cause: String(row.cause) as EpochCause,
    startedAtMs: Number(row.started_at_ms),
  };
}
