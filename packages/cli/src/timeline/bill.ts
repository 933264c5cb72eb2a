// Computes a call's input cost, in equivalents of an uncached token.

import type { TurnUsage } from "@session-runtime/opencode/storage/records";
import { sumContextTokens } from "@session-runtime/opencode/storage/turn-figures";

/** Holds prices of an input token, in equivalents of an uncached one. */
export interface Rates {
  readonly input: number;
  readonly write: number;
  readonly read: number;
}

/** Holds a call's input cost, in equivalents of an uncached token. */
export interface Bill {
  readonly readCost: number;
  readonly writeCost: number;
  readonly plainCost: number;
  readonly total: number;
  /** The cost of the same tokens without any cache. */
  readonly uncached: number;
}

/** Anthropic charges for writing (five minutes' life); others cache by themselves. */
const BREAKPOINTS: Rates = { input: 1, write: 1.25, read: 0.1 };
const AUTOMATIC: Rates = { input: 1, write: 1, read: 0.1 };

/** Recognises providers with breakpoints by the same names as the host. */
export function guessRates(model: string): Rates {
  return /anthropic|claude/i.test(model) ? BREAKPOINTS : AUTOMATIC;
}

export function computeBill(usage: TurnUsage, rates: Rates): Bill {
  const readCost = usage.cacheReadTokens * rates.read;
  const writeCost = usage.cacheWriteTokens * rates.write;
  const plainCost = usage.inputTokens * rates.input;
  const tokens = sumContextTokens(usage);
  return {
    readCost,
    writeCost,
    plainCost,
    total: readCost + writeCost + plainCost,
    uncached: tokens * rates.input,
  };
}
