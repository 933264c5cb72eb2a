// Reads the cache history of a session: calls, busts, totals.
import type { CallOverview, CallTotals, SessionOverview } from "../storage/overview-records.ts";
import type { EpochCause, TurnUsage } from "../storage/records.ts";
import { isOwnBust, sumContextTokens } from "../storage/turn-figures.ts";
import { type MoneyStatus, readMoney } from "./money.ts";

/**
 * The provider's verdict on a bust that we named. `confirmed`: it read less than it had stored; `denied`: it
 * read all of it; `unknown`: there are no figures to compare.
 */
type Confirmation = "confirmed" | "denied" | "unknown";

export interface BustStatus {
  readonly cause: string;
  readonly confirmation: Confirmation;
}

/** One model call of the session's own loop. */
export interface CallStatus {
  readonly sentAtMs: number;
  readonly model: string;
  readonly agent: string;
  /** The epoch's number, from 1; null if the epoch is no longer stored. */
  readonly epochNumber: number | null;
  /** The usage as the provider reported it, in tokens; null while there is no report. */
  readonly usage: TurnUsage | null;
  /** The share read / (read + write + input), from 0 to 1; null if nothing was counted. */
  readonly hitRate: number | null;
  readonly bust: BustStatus | null;
  /** The reason why one of our rewrites gave the cache up, which is not a bust; null if none did. */
  readonly gaveUp: string | null;
  /**
   * The reason why an epoch began with this call; null if none did, or if it is the session's first epoch.
   */
  readonly newEpoch: EpochCause | null;
}

export interface CacheTotals extends CallTotals {
  readonly hitRate: number | null;
  readonly busts: number;
  readonly confirmedBusts: number;
  /** The number of calls whose cache one of our rewrites gave up deliberately; they are not busts. */
  readonly rewrites: number;
}

export interface CacheStatus {
  /** The calls, oldest first; only the newest ones of a long session. */
  readonly calls: readonly CallStatus[];
  /** The totals of all calls. */
  readonly totals: CacheTotals;
  /** What all calls cost, and what they saved. */
  readonly money: MoneyStatus;
}

/** The cache of a session that is not stored. */
export const EMPTY_CACHE_STATUS: CacheStatus = {
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
    rewrites: 0,
  },
  money: readMoney({ priced: 0, paidNanos: 0, savedNanos: 0, spared: { calls: 0, tokens: 0 } }),
};

/** An epoch as calls refer to it. */
interface NumberedEpoch {
  /** The epoch's number among the session's epochs, from 1. */
  readonly number: number;
  readonly cause: EpochCause;
  readonly startedAtMs: number;
}

/** Maps epochs by their rank in the ledger. */
export function numberEpochs(
  epochs: readonly (Omit<NumberedEpoch, "number"> & { readonly seq: number })[],
): ReadonlyMap<number, NumberedEpoch> {
  return new Map(
    epochs.map(({ seq, cause, startedAtMs }, index) => [
      seq,
      { number: index + 1, cause, startedAtMs },
    ]),
  );
}

export function readCache({ calls, busts, totals, bill, epochs }: SessionOverview): CacheStatus {
  const numbers = numberEpochs(epochs);
  const causes = busts.map(splitCauses);
  const lost = causes.flatMap(({ bust }) => (bust === null ? [] : [bust]));
  const confirmed = lost.filter(({ confirmation }) => confirmation === "confirmed");
  return {
    calls: calls.toReversed().map((call) => readCall(call, numbers)),
    totals: {
      ...totals,
      hitRate: computeHitRate(totals),
      busts: lost.length,
      confirmedBusts: confirmed.length,
      rewrites: causes.length - lost.length,
    },
    money: readMoney(bill),
  };
}

export function readCall(
  call: CallOverview,
  epochs: ReadonlyMap<number, NumberedEpoch>,
): CallStatus {
  const epoch = epochs.get(call.epochSeq);
  // A pass commits its epoch with the time of its call.
  const opens = epoch !== undefined && epoch.number > 1 && epoch.startedAtMs === call.sentAtMs;
  return {
    sentAtMs: call.sentAtMs,
    model: `${call.providerId}/${call.modelId}`,
    agent: call.agent,
    epochNumber: epoch?.number ?? null,
    usage: call.usage,
    hitRate: call.usage && computeHitRate(call.usage),
    ...splitCauses(call),
    newEpoch: opens ? epoch.cause : null,
  };
}

function splitCauses(call: CallOverview): Pick<CallStatus, "bust" | "gaveUp"> {
  const { bust } = call;
  if (bust === null) return { bust: null, gaveUp: null };
  if (isOwnBust(bust)) return { bust: null, gaveUp: bust };
  return { bust: { cause: bust, confirmation: confirmBust(call) }, gaveUp: null };
}

/**
 * The least share of the stored tokens that a provider reads back if nothing is lost, because it counts in
 * units.
 */
const FULL_READ_RATE = 0.9;

function confirmBust({ readableTokens, usage }: CallOverview): Confirmation {
  if (!usage || !readableTokens) return "unknown";
  return usage.cacheReadTokens < readableTokens * FULL_READ_RATE ? "confirmed" : "denied";
}

function computeHitRate(usage: TurnUsage): number | null {
  const all = sumContextTokens(usage);
  return all === 0 ? null : usage.cacheReadTokens / all;
}
