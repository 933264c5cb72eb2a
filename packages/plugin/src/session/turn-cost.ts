// Computes what a call was paid for, and what the host alone would have paid for it. Pure.
import { type HostMessage, isText, isTool } from "../ledger/message.ts";
import { BYTES_PER_TOKEN, historyTokens } from "../ledger/tokens.ts";
import type { TurnCost, TurnUsage, UpdateBytes } from "../storage/records.ts";
import type { HostWithoutPlugin } from "./host-alone.ts";
import type { ReplacedMessages } from "./pass.ts";

/** The host's price record of a model, in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** 0: tokens that are not read are charged as input. */
  readonly cacheWrite: number;
  /**
   * `breakpoints`: up to the host's breakpoints; `automatic`: the longest prefix that the provider finds itself.
   */
  readonly caching: "breakpoints" | "automatic";
}

export interface BilledCall {
  readonly usage: TurnUsage;
  /** The charge as the host has it, in US dollars. */
  readonly paidUsd: number;
  /** The price of the model; null where the host has none. */
  readonly price: Price | null;
  /** About how many tokens stand from the Baseline on, as far as an earlier call had sent them. */
  readonly heldTokens: number;
  readonly updates: UpdateBytes;
  readonly alone: HostWithoutPlugin;
  /** About how many tokens our tools take in the call. */
  readonly ownToolTokens: number;
  /** About how many tokens of the history the call is spared. */
  readonly droppedTokens: number;
  /** Those of them that the call before had still sent. */
  readonly newlyDroppedTokens: number;
  /** The provider's figure of the call before; null if what it had sent was not rewritten since, or is unknown. */
  readonly rewrittenTokens: number | null;
}

/** A price of a dollar per million tokens is so many billionths of a dollar for one. */
const NANOS_PER_TOKEN = 1_000;
const NANOS_PER_DOLLAR = 1_000_000_000;

/** Computes the cost; null where the host knows no price, since its records say zero then. */
export function computeCost(call: BilledCall): TurnCost | null {
  const { price, paidUsd } = call;
  if (price === null || price.input === 0) return null;
  return {
    paidNanos: Math.round(paidUsd * NANOS_PER_DOLLAR),
    savedNanos: Math.round(savedPerMillion(call, price) * NANOS_PER_TOKEN),
  };
}

/**
 * Computes the saving. The host alone has neither our tools nor our updates in its history, but writes the rest
 * again where it changes its prompt. It sends what we dropped with every call, and rewrites nothing for it.
 */
function savedPerMillion(call: BilledCall, price: Price): number {
  const { usage, heldTokens, updates, alone, ownToolTokens, droppedTokens } = call;
  const { cacheReadTokens } = usage;
  const announcedTokens = updates.announced / BYTES_PER_TOKEN;
  const carried = updates.carried / BYTES_PER_TOKEN;
  const writing = price.cacheWrite || price.input;
  // With nothing read the cache was cold, and the updates were written again with all else.
  const carrying = cacheReadTokens === 0 ? writing : price.cacheRead;
  const hostAnnounces = alone.announcedBytes / BYTES_PER_TOKEN;
  const hostCarries = alone.carriedBytes / BYTES_PER_TOKEN;
  const addedCost =
    (announcedTokens - hostAnnounces) * writing +
    (carried - hostCarries + ownToolTokens) * carrying;
  // With breakpoints, the one before the Baseline is in the block that the host alone would change.
  const before = ownToolTokens + alone.keptTokens;
  const held = price.caching === "breakpoints" ? Math.max(0, cacheReadTokens - before) : heldTokens;
  const standing = Math.max(0, Math.min(cacheReadTokens, held) - carried);
  const rewritten = isRewritten(alone, announcedTokens) ? standing + droppedTokens : 0;
  const again = rewritten - rewrittenByUs(call);
  return again * Math.max(0, writing - price.cacheRead) + droppedTokens * carrying - addedCost;
}

function isRewritten({ prompt }: HostWithoutPlugin, announcedTokens: number): boolean {
  return prompt === "where announced" ? announcedTokens > 0 : prompt === "rewritten";
}

/** Counts the tokens that the call before had sent and this one could not read because of a drop before them. */
function rewrittenByUs({ usage, rewrittenTokens, newlyDroppedTokens }: BilledCall): number {
  // A rewrite costs nothing where the cache is dead.
  if (rewrittenTokens === null || usage.cacheReadTokens === 0) return 0;
  return Math.max(0, rewrittenTokens - newlyDroppedTokens - usage.cacheReadTokens);
}

const CHARACTERS_PER_TOKEN = 4;

/**
 * Estimates by how many tokens the sent history is shorter; below 0 where it is longer. `countTokens` may cache:
 * folded messages are counted after each send, and may be nearly all of a long history.
 */
export function tokensSpared(
  { hidden, made }: ReplacedMessages,
  countTokens: (message: HostMessage) => number,
): number {
  return historyTokens(hidden, countTokens) - historyTokens(made, countTokens);
}

/** Estimates the tokens of the Baseline and of the messages up to `end`. */
export function tokensHeld(
  baseline: string,
  messages: readonly HostMessage[],
  end: number,
): number {
  const characters = baseline.length + countCharacters(messages.slice(0, end + 1));
  return Math.round(characters / CHARACTERS_PER_TOKEN);
}

function countCharacters(messages: readonly HostMessage[]): number {
  return messages
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => {
      if (isText(part)) return sum + part.text.length;
      if (!isTool(part) || part.state.status !== "completed") return sum;
      return sum + part.state.output.length;
    }, 0);
}
