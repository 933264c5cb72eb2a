// Builds a session's timeline: calls, epochs and updates in order of time; pure.
// Folder: A session's calls and bill in order of time.

import type {
  HistoryStatus,
  RewriteStatus,
} from "@session-runtime/opencode/features/history/rewrite-status";
import {
  type CacheTotals,
  type CallStatus,
  readCache,
} from "@session-runtime/opencode/status/cache";
import type { MoneyStatus } from "@session-runtime/opencode/status/money";
import type { SessionOverview } from "@session-runtime/opencode/storage/overview-records";
import type { EpochCause } from "@session-runtime/opencode/storage/records";
import type { ParallelCalls } from "./beside.ts";
import { type Bill, computeBill, guessRates } from "./bill.ts";

/** Holds a session's calls, epochs and updates in order of time. Values only. */
export interface Timeline {
  readonly sessionId: string;
  /** The host that it runs in; null: OpenCode. */
  readonly harness: string | null;
  /** The host's title of the session; null where its database can't be read. */
  readonly title: string | null;
  readonly directory: string | null;
  readonly atMs: number;
  /** The calls, oldest first; only the newest of a long session. */
  readonly calls: readonly TimelineCall[];
  readonly epochs: readonly TimelineEpoch[];
  readonly updates: readonly TimelineUpdate[];
  /** Rewrites of the session's history: what was dropped and folded. */
  readonly rewrites: readonly TimelineRewrite[];
  /** The jobs, and the changes of memories. */
  readonly beside: readonly TimelineBeside[];
  /** The totals over all calls. */
  readonly totals: TimelineTotals;
  readonly money: MoneyStatus;
}

interface TimelineTotals extends CacheTotals {
  readonly bill: number;
  readonly uncached: number;
  /** Epochs that began after the session's first one. */
  readonly newEpochs: number;
}

export interface TimelineCall extends CallStatus {
  /** The number of the call, from 1. */
  readonly number: number;
  /** The bill; null while the provider has reported nothing. */
  readonly bill: Bill | null;
}

export interface TimelineEpoch {
  readonly number: number;
  readonly cause: EpochCause;
  readonly startedAtMs: number;
  readonly directory: string;
  readonly baselineBytes: number;
}

export interface TimelineUpdate {
  readonly atMs: number;
  readonly epochNumber: number;
  /** The call that announced it first; null where that call left no row. */
  readonly callNumber: number | null;
  readonly keys: readonly string[];
  readonly bytes: number;
}

export interface TimelineRewrite
  extends Pick<
    RewriteStatus,
    "atMs" | "reason" | "state" | "drops" | "folds" | "costTokens" | "savedTokens" | "savedSoFar"
  > {
  /** The call that it was made at; null where that call left no row. */
  readonly callNumber: number | null;
  /** Counts the calls that did not pay for it. */
  readonly calls: number;
}

interface TimelineBeside extends ParallelCalls {
  /** The last call before it; null where all shown calls came later. */
  readonly callNumber: number | null;
}

interface TimelineInput {
  readonly sessionId: string;
  readonly title: string | null;
  readonly atMs: number;
  /** The session's overview with all calls. */
  readonly overview: SessionOverview;
  /** The history's status; null where there is none. */
  readonly history: HistoryStatus | null;
  readonly beside: readonly ParallelCalls[];
  /** Limits the calls to show, newest first. */
  readonly shownCalls: number;
}

/** Builds the timeline. Pure. */
export function buildTimeline(input: TimelineInput): Timeline {
  const { overview, shownCalls } = input;
  const { calls, totals, money } = readCache(overview);
  const numbers = overview.calls.map(({ seq }) => seq).toReversed();
  const billed = calls.map((call, index): TimelineCall => {
    const bill = call.usage && computeBill(call.usage, guessRates(call.model));
    return { number: numbers[index] ?? index + 1, ...call, bill };
  });
  const shown = billed.slice(-shownCalls);
  const fromMs = shown.length < billed.length ? (shown[0]?.sentAtMs ?? 0) : 0;
  const sum = (part: "total" | "uncached") =>
    billed.reduce((all, { bill }) => all + (bill?.[part] ?? 0), 0);
  return {
    sessionId: input.sessionId,
    harness: overview.harness,
    title: input.title,
    directory: overview.epochs.at(-1)?.directory ?? null,
    atMs: input.atMs,
    calls: shown,
    epochs: selectEpochs(overview, shown),
    updates: toTimelineUpdates(overview, billed).filter(({ atMs }) => atMs >= fromMs),
    rewrites: toTimelineRewrites(input.history, billed).filter(({ atMs }) => atMs >= fromMs),
    beside: input.beside
      .filter(({ atMs }) => atMs >= fromMs)
      .map((one) => {
        const before = shown.findLast(({ sentAtMs }) => sentAtMs <= one.atMs);
        return { ...one, callNumber: before?.number ?? null };
      }),
    totals: {
      ...totals,
      bill: sum("total"),
      uncached: sum("uncached"),
      newEpochs: Math.max(0, overview.epochs.length - 1),
    },
    money,
  };
}

/** Selects epochs that a shown call was in, or that came later. */
function selectEpochs(
  { epochs }: SessionOverview,
  shown: readonly TimelineCall[],
): readonly TimelineEpoch[] {
  const numbers = shown.flatMap(({ epochNumber }) => epochNumber ?? []);
  const first = Math.min(...numbers, epochs.length);
  return epochs
    .map(({ cause, startedAtMs, directory, baselineBytes }, index) => ({
      number: index + 1,
      cause,
      startedAtMs,
      directory,
      baselineBytes,
    }))
    .filter(({ number }) => number >= first);
}

function toTimelineUpdates(
  { entries, epochs }: SessionOverview,
  calls: readonly TimelineCall[],
): readonly TimelineUpdate[] {
  const numbers = new Map(epochs.map(({ seq }, index) => [seq, index + 1]));
  const byMoment = numbersByMoment(calls);
  return entries.flatMap((entry) => {
    const { insertBytes, announcedKeys, decidedAtMs } = entry;
    if (insertBytes === null || announcedKeys.length === 0) return [];
    return [
      {
        atMs: decidedAtMs,
        epochNumber: numbers.get(entry.epochSeq) ?? 0,
        callNumber: byMoment.get(decidedAtMs) ?? null,
        keys: announcedKeys,
        bytes: insertBytes,
      },
    ];
  });
}

/** Maps the moment of each call to its number: a pass commits its decisions under the moment of its call. */
function numbersByMoment(calls: readonly TimelineCall[]): ReadonlyMap<number, number> {
  return new Map(calls.map(({ sentAtMs, number }) => [sentAtMs, number]));
}

function toTimelineRewrites(
  history: HistoryStatus | null,
  timeline: readonly TimelineCall[],
): readonly TimelineRewrite[] {
  const byMoment = numbersByMoment(timeline);
  return (history?.rewrites ?? []).map((rewrite) => {
    const { atMs, reason, state, drops, folds, costTokens, savedTokens, savedSoFar, calls } =
      rewrite;
    return {
      ...{ atMs, reason, state, drops, folds, costTokens, savedTokens, savedSoFar, calls },
      callNumber: byMoment.get(atMs) ?? null,
    };
  });
}
