// Computes what a session's calls were paid for, and what was saved against the host alone.
import type { BillOverview } from "../storage/overview-records.ts";
import { formatCount, renderCount } from "./wording.ts";

/** What a session's calls cost and saved, in US dollars at the host's prices, and the calls and tokens spared. */
export interface MoneyStatus {
  /** The amount paid; null if the host has no price for any call. */
  readonly paidUsd: number | null;
  /**
   * About how much more OpenCode alone would have paid; negative if it is less, and null if `paidUsd` is
   * null.
   */
  readonly savedUsd: number | null;
  /**
   * The number of calls that announced a change which OpenCode alone would have made in its system prompt.
   */
  readonly sparedCalls: number;
  /** The tokens that those calls read from the cache all the same. */
  readonly sparedTokens: number;
}

const NANOS_PER_DOLLAR = 1_000_000_000;

export function readMoney({ priced, paidNanos, savedNanos, spared }: BillOverview): MoneyStatus {
  return {
    paidUsd: priced === 0 ? null : paidNanos / NANOS_PER_DOLLAR,
    savedUsd: priced === 0 ? null : savedNanos / NANOS_PER_DOLLAR,
    sparedCalls: spared.calls,
    sparedTokens: spared.tokens,
  };
}

/** Formats an amount: `$0.0042`, `$12.34`, `-$0.0042`. */
export function formatDollars(usd: number): string {
  const amount = Math.abs(usd).toFixed(Math.abs(usd) < 1 ? 4 : 2);
  return Number(amount) !== 0 && usd < 0 ? `-$${amount}` : `$${amount}`;
}

const DEFAULT_HOST_NAME = "OpenCode";

/**
 * Returns the name of a session's host for texts, from the host that has claimed it; null stands for
 * OpenCode.
 */
export function formatHostName(harness: string | null): string {
  return harness === null ? DEFAULT_HOST_NAME : harness.charAt(0).toUpperCase() + harness.slice(1);
}

/** Renders `saved about $0.0042 against OpenCode alone`, or the loss if updates cost more than they saved. */
export function renderSavedPhrase(
  savedUsd: number,
  against: "against" | "vs" = "against",
  host = DEFAULT_HOST_NAME,
): string {
  return savedUsd < 0
    ? `about ${formatDollars(-savedUsd)} more than ${host} alone`
    : `saved about ${formatDollars(savedUsd)} ${against} ${host} alone`;
}

/** Renders the money in a sentence; null if there is nothing to report. */
export function renderMoneyLine(money: MoneyStatus, host = DEFAULT_HOST_NAME): string | null {
  const { paidUsd, savedUsd } = money;
  const differs = shouldCompareWithHost(money, host);
  if (paidUsd === null || savedUsd === null) {
    return differs && host === DEFAULT_HOST_NAME
      ? `${host} alone ${describeSparedCalls(money)}`
      : null;
  }
  const saved = differs ? `, ${renderSavedSentence(savedUsd, money, host)}` : ".";
  return `Paid ${formatDollars(paidUsd)}${saved}`;
}

/** Says whether to compare with the host alone: on OpenCode, only if it would have changed its prompt. */
export function shouldCompareWithHost(
  { savedUsd, sparedCalls }: MoneyStatus,
  host: string,
): boolean {
  if (host === DEFAULT_HOST_NAME) return sparedCalls > 0;
  return savedUsd !== null && Number(Math.abs(savedUsd).toFixed(4)) > 0;
}

/** Renders the saving as a sentence without an initial capital. */
export function renderSavedSentence(
  savedUsd: number,
  money: MoneyStatus,
  host = DEFAULT_HOST_NAME,
): string {
  const phrase = renderSavedPhrase(savedUsd, "against", host);
  // Other hosts do not change their prompt when we announce something, so no calls can be named.
  return host === DEFAULT_HOST_NAME
    ? `${phrase}, which ${describeSparedCalls(money)}`
    : `${phrase}.`;
}

function describeSparedCalls({ sparedCalls, sparedTokens }: MoneyStatus): string {
  return `would have changed its system prompt at ${renderCount(sparedCalls, "call")} that read ${formatCount(sparedTokens)} tokens from the cache.`;
}
