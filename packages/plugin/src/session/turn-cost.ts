// What a call was paid for, and what OpenCode alone would have paid for it. Pure.
import { type HostMessage, isText, isTool } from "../projection/message.ts";
import { BYTES_PER_TOKEN } from "../projection/tokens.ts";
import type { TurnCost, TurnUsage, UpdateBytes } from "../storage/records.ts";

/** The host's price record of a model, in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** 0: what is not read is charged as input. */
  readonly cacheWrite: number;
  /** Up to the host's breakpoints, or the longest prefix that the provider finds by itself. */
  readonly caching: "breakpoints" | "automatic";
}

export interface BilledCall {
  readonly usage: TurnUsage;
  /** As the host has it, in US dollars. */
  readonly paidUsd: number;
  /** Null where the host has none. */
  readonly price: Price | null;
  /** About how many tokens stand from the Baseline on, as far as an earlier call had sent them. */
  readonly heldTokens: number;
  readonly updates: UpdateBytes;
  /** About how many tokens the call's tools of ours take. */
  readonly ownToolTokens: number;
}

/** A price of a dollar per million tokens is so many billionths of a dollar for one. */
const NANOS_PER_TOKEN = 1_000;
const NANOS_PER_DOLLAR = 1_000_000_000;

/** Null where the host knows no price: its records say zero then. */
export function costOf(call: BilledCall): TurnCost | null {
  const { price, paidUsd } = call;
  if (price === null || price.input === 0) return null;
  return {
    paidNanos: Math.round(paidUsd * NANOS_PER_DOLLAR),
    savedNanos: Math.round(savedPerMillion(call, price) * NANOS_PER_TOKEN),
  };
}

/** OpenCode alone has neither our tools nor the updates in its history, but writes the rest again where one was told. */
function savedPerMillion(
  { usage, heldTokens, updates, ownToolTokens }: BilledCall,
  price: Price,
): number {
  const { cacheReadTokens } = usage;
  const told = updates.told / BYTES_PER_TOKEN;
  const carried = updates.carried / BYTES_PER_TOKEN;
  const writing = price.cacheWrite || price.input;
  // Nothing read: the cache was cold, and the updates were written again with all else.
  const carrying = cacheReadTokens === 0 ? writing : price.cacheRead;
  const addedCost = told * writing + (carried + ownToolTokens) * carrying;
  // With breakpoints, the one before the Baseline is in the block that the host alone would change.
  const held =
    price.caching === "breakpoints" ? Math.max(0, cacheReadTokens - ownToolTokens) : heldTokens;
  const standing = Math.max(0, Math.min(cacheReadTokens, held) - carried);
  const rewritten = told === 0 ? 0 : standing;
  return rewritten * Math.max(0, writing - price.cacheRead) - addedCost;
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
