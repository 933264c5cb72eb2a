// What a session's calls were paid for, and what was saved against OpenCode alone.
import type { BillOverview } from "../storage/overview-records.ts";
import { count, counted } from "./wording.ts";

/** In US dollars, by the host's own price record. */
export interface MoneyStatus {
  /** Null where the host has no price for any call. */
  readonly paidUsd: number | null;
  /** About what OpenCode alone would have paid more; null as above. */
  readonly savedUsd: number | null;
  /** Calls that told a change which OpenCode alone would have made in its system prompt. */
  readonly sparedCalls: number;
  /** What they read from the cache all the same. */
  readonly sparedTokens: number;
}

const NANOS_PER_DOLLAR = 1_000_000_000;

export function readMoney({ priced, paidNanos, spared }: BillOverview): MoneyStatus {
  return {
    paidUsd: priced === 0 ? null : paidNanos / NANOS_PER_DOLLAR,
    savedUsd: priced === 0 ? null : spared.nanos / NANOS_PER_DOLLAR,
    sparedCalls: spared.calls,
    sparedTokens: spared.tokens,
  };
}

/** `$0.0042`, `$12.34` */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** In a sentence; null where there is nothing to say. */
export function moneyLine({ paidUsd, savedUsd, sparedCalls, sparedTokens }: MoneyStatus) {
  const lost = `${count(sparedTokens)} cached tokens at ${counted(sparedCalls, "call")}`;
  if (paidUsd === null || savedUsd === null) {
    return sparedCalls === 0 ? null : `OpenCode alone would have lost ${lost}.`;
  }
  const paid = `Paid ${dollars(paidUsd)}.`;
  return sparedCalls === 0
    ? paid
    : `${paid} Saved about ${dollars(savedUsd)}: OpenCode alone would have lost ${lost}.`;
}
