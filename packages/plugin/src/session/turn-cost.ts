// What a call was paid for, and what it would have cost with its cache lost. Pure.
import { type HostMessage, isText, isTool } from "../projection/message.ts";
import type { TurnCost, TurnUsage } from "../storage/records.ts";

/** The host's price record of a model, in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** 0: what is not read is charged as input, and the provider caches by itself. */
  readonly cacheWrite: number;
}

export interface BilledCall {
  readonly usage: TurnUsage;
  /** As the host has it, in US dollars. */
  readonly paidUsd: number;
  /** Null where the host has none. */
  readonly price: Price | null;
  /** About how many tokens stand from the Baseline on, as far as an earlier call had sent them. */
  readonly heldTokens: number;
}

/** A price of a dollar per million tokens is so many billionths of a dollar for one. */
const NANOS_PER_TOKEN = 1_000;
const NANOS_PER_DOLLAR = 1_000_000_000;

/** Null where the host knows no price: its records say zero then. */
export function costOf({ usage, paidUsd, price, heldTokens }: BilledCall): TurnCost | null {
  if (price === null || price.input === 0) return null;
  const { cacheReadTokens } = usage;
  // With breakpoints, the one before the Baseline is in the block that the host alone would change.
  const lost = price.cacheWrite > 0 ? cacheReadTokens : Math.min(cacheReadTokens, heldTokens);
  const dearer = Math.max(0, (price.cacheWrite || price.input) - price.cacheRead);
  return {
    paidNanos: Math.round(paidUsd * NANOS_PER_DOLLAR),
    rewriteNanos: Math.round(lost * dearer * NANOS_PER_TOKEN),
  };
}

const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens the Baseline and the messages up to `end` are. */
export function tokensHeld(
  baseline: string,
  messages: readonly HostMessage[],
  end: number,
): number {
  const characters = messages
    .slice(0, end + 1)
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => {
      if (isText(part)) return sum + part.text.length;
      if (!isTool(part) || part.state.status !== "completed") return sum;
      return sum + part.state.output.length;
    }, baseline.length);
  return Math.round(characters / CHARACTERS_PER_TOKEN);
}
