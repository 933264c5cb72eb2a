import type { EpochRecord, TurnFigures, TurnUsage } from "../storage/records.ts";

/**
 * What the provider's figures say of a bust that we named: `confirmed`, it read less than it had
 * stored; `denied`, it read all of it; `unknown`, there are no figures to compare.
 */
export type Confirmation = "confirmed" | "denied" | "unknown";

export interface BustStatus {
  readonly cause: string;
  readonly confirmation: Confirmation;
}

/** One model call of the session's own loop. */
export interface CallStatus {
  readonly sentAtMs: number;
  readonly model: string;
  readonly agent: string;
  /** Counted from 1; null where the epoch is not stored any more. */
  readonly epochNumber: number | null;
  /** As the provider reported it, in tokens; null while there is no report. */
  readonly usage: TurnUsage | null;
  /** Read / (read + write + input), 0 to 1; null where nothing was counted. */
  readonly hitRate: number | null;
  readonly bust: BustStatus | null;
}

export interface CacheTotals extends TurnUsage {
  readonly calls: number;
  /** Those that the provider has reported on. */
  readonly reported: number;
  readonly hitRate: number | null;
  readonly busts: number;
  readonly confirmedBusts: number;
}

export interface CacheStatus {
  /** Oldest first. */
  readonly calls: readonly CallStatus[];
  readonly totals: CacheTotals;
}

/** `turns` newest first. */
export function readCache(
  turns: readonly TurnFigures[],
  epochs: readonly EpochRecord[],
): CacheStatus {
  const former = new Map<string, TurnUsage | null>();
  const calls = turns.toReversed().map((turn): CallStatus => {
    const model = `${turn.providerId}/${turn.modelId}`;
    const index = epochs.findIndex((epoch) => epoch.seq === turn.epochSeq);
    const confirmation = confirmationOf(former.get(model) ?? null, turn.usage);
    former.set(model, turn.usage);
    return {
      sentAtMs: turn.sentAtMs,
      model,
      agent: turn.agent,
      epochNumber: index === -1 ? null : index + 1,
      usage: turn.usage,
      hitRate: turn.usage && hitRate(turn.usage),
      bust: turn.bust === null ? null : { cause: turn.bust, confirmation },
    };
  });
  return { calls, totals: totalsOf(calls) };
}

/** Share of what was stored that a provider reads back at least when nothing is lost: it counts in units. */
const WHOLE_READ = 0.9;

function confirmationOf(former: TurnUsage | null, current: TurnUsage | null): Confirmation {
  const readable = former ? former.cacheReadTokens + former.cacheWriteTokens : 0;
  if (!current || readable === 0) return "unknown";
  return current.cacheReadTokens < readable * WHOLE_READ ? "confirmed" : "denied";
}

function hitRate(usage: TurnUsage): number | null {
  const all = usage.cacheReadTokens + usage.cacheWriteTokens + usage.inputTokens;
  return all === 0 ? null : usage.cacheReadTokens / all;
}

function totalsOf(calls: readonly CallStatus[]): CacheTotals {
  const reports = calls.flatMap(({ usage }) => (usage ? [usage] : []));
  const sum = (count: (usage: TurnUsage) => number) =>
    reports.reduce((total, usage) => total + count(usage), 0);
  const usage: TurnUsage = {
    inputTokens: sum((report) => report.inputTokens),
    outputTokens: sum((report) => report.outputTokens),
    cacheReadTokens: sum((report) => report.cacheReadTokens),
    cacheWriteTokens: sum((report) => report.cacheWriteTokens),
  };
  const busts = calls.flatMap(({ bust }) => (bust ? [bust] : []));
  return {
    ...usage,
    calls: calls.length,
    reported: reports.length,
    hitRate: hitRate(usage),
    busts: busts.length,
    confirmedBusts: busts.filter(({ confirmation }) => confirmation === "confirmed").length,
  };
}
