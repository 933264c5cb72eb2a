// The cache history of a session: calls, busts, totals.
import type { CallOverview, SessionOverview } from "../storage/overview-records.ts";
import type { TurnUsage } from "../storage/records.ts";

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
  /** Oldest first; of a long session only the newest. */
  readonly calls: readonly CallStatus[];
  /** Of all calls. */
  readonly totals: CacheTotals;
}

/** Of a session that is not stored. */
export const NO_CALLS: CacheStatus = {
  calls: [],
  totals: {
    calls: 0,
    reported: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    hitRate: null,
    busts: 0,
    confirmedBusts: 0,
  },
};

export function readCache({ calls, busts, totals, epochs }: SessionOverview): CacheStatus {
  const numbers = new Map(epochs.map((epoch, index) => [epoch.seq, index + 1]));
  const confirmed = busts.filter((call) => confirmationOf(call) === "confirmed");
  return {
    calls: calls.toReversed().map((call) => readCall(call, numbers)),
    totals: {
      ...totals,
      hitRate: hitRate(totals),
      busts: busts.length,
      confirmedBusts: confirmed.length,
    },
  };
}

/** `epochNumbers`: by an epoch's rank in the ledger, counted from 1. */
export function readCall(
  call: CallOverview,
  epochNumbers: ReadonlyMap<number, number>,
): CallStatus {
  return {
    sentAtMs: call.sentAtMs,
    model: `${call.providerId}/${call.modelId}`,
    agent: call.agent,
    epochNumber: epochNumbers.get(call.epochSeq) ?? null,
    usage: call.usage,
    hitRate: call.usage && hitRate(call.usage),
    bust: call.bust === null ? null : { cause: call.bust, confirmation: confirmationOf(call) },
  };
}

/** Share of what was stored that a provider reads back at least when nothing is lost: it counts in units. */
const WHOLE_READ = 0.9;

function confirmationOf({ readableTokens, usage }: CallOverview): Confirmation {
  if (!usage || !readableTokens) return "unknown";
  return usage.cacheReadTokens < readableTokens * WHOLE_READ ? "confirmed" : "denied";
}

function hitRate(usage: TurnUsage): number | null {
  const all = usage.cacheReadTokens + usage.cacheWriteTokens + usage.inputTokens;
  return all === 0 ? null : usage.cacheReadTokens / all;
}
