// Computes what a call was paid for, what the host alone would have paid, and the tokens of both. Pure.
import { type HostMessage, isText, isTool } from "../ledger/message.ts";
import { BYTES_PER_TOKEN, estimateHistoryTokens } from "../ledger/tokens.ts";
import type { TurnCost, TurnUsage, UpdateBytes } from "../storage/records.ts";
import { sumContextTokens } from "../storage/turn-figures.ts";
import type { PassFacts, ReplacedMessages } from "./pass.ts";

// Describes what the host would have done at a call without this plugin, for comparison. Pure.

export interface HostWithoutPlugin {
  /**
   * `where announced`: the host would have written each announced change into its system prompt. `rewritten`: it
   * would have changed its prompt at this call in any case; `kept`: it would not have.
   */
  readonly prompt: "where announced" | "rewritten" | "kept";
  /**
   * The bytes that the host would have announced at the end of the history in this call; `carriedBytes`
   * counts those of earlier calls.
   */
  readonly announcedBytes: number;
  readonly carriedBytes: number;
  /**
   * About how many tokens precede the host's prompt, and are still read if the prompt changes; our tools are
   * not counted.
   */
  readonly keptTokens: number;
}

/** Describes a host that renders its prompt again at every call. */
export const PER_CALL_RENDERING_HOST: HostWithoutPlugin = {
  prompt: "where announced",
  announcedBytes: 0,
  carriedBytes: 0,
  keptTokens: 0,
};

// Separates the tools that the host describes for one call from those of other calls.

/** Maps the names of the tools that one model call offers to their descriptions; null if unknown. */
export type OfferedTools = ReadonlyMap<string, string> | null;

/**
 * Collects the tools of one call. The host describes all of them right before it asks for the call's history,
 * without naming a session. The tools of two calls at once can't be distinguished, and count as unknown.
 */
export class OfferedToolCollector {
  #tools = new Map<string, string>();
  #state: "open" | "mixed" | "taken" = "taken";

  recordTool(toolId: string, description: string): void {
    if (this.#state === "taken") {
      this.#tools = new Map();
      this.#state = "open";
    }
    if (this.#tools.has(toolId)) this.#state = "mixed";
    this.#tools.set(toolId, description);
  }

  /**
   * Returns the tools described since the last `take`, or null if they are unknown; the next description
   * begins a new round.
   */
  take(): OfferedTools {
    const offered = this.#state === "open" ? this.#tools : null;
    this.#state = "taken";
    return offered;
  }
}

/** The host's price record of a model, in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** The price of writing to the cache; 0 if tokens that are not read are charged as input. */
  readonly cacheWrite: number;
  /**
   * `breakpoints`: the cache reaches up to the host's breakpoints; `automatic`: the provider itself finds the
   * longest prefix.
   */
  readonly caching: "breakpoints" | "automatic";
}

export interface BilledCall {
  readonly usage: TurnUsage;
  /** The charge in US dollars, as the host reports it. */
  readonly paidUsd: number;
  /** The price of the model; null if the host has none. */
  readonly price: Price | null;
  /** About how many of the tokens from the Baseline onwards an earlier call had already sent. */
  readonly heldTokens: number;
  readonly updates: UpdateBytes;
  readonly alone: HostWithoutPlugin;
  /** About how many tokens our tools take in the call. */
  readonly ownToolTokens: number;
  /** About how many tokens the call is spared by what was dropped from the history. */
  readonly droppedTokens: number;
  /** The part of `droppedTokens` that the call before had still sent. */
  readonly newlyDroppedTokens: number;
  /**
   * The tokens of the call before, by the provider's figure; null if unknown, or if nothing that the call
   * before had sent has been rewritten since.
   */
  readonly rewrittenTokens: number | null;
}

/** At a price of one dollar per million tokens, one token costs this many billionths of a dollar. */
const NANOS_PER_TOKEN = 1_000;
const NANOS_PER_DOLLAR = 1_000_000_000;

/** Computes the cost; null if the host knows no price, because its records then say zero. */
export function computeCost(call: BilledCall): TurnCost | null {
  const { price, paidUsd } = call;
  if (price === null || price.input === 0) return null;
  return {
    paidNanos: Math.round(paidUsd * NANOS_PER_DOLLAR),
    savedNanos: Math.round(computeSavedPerMillion(call, price) * NANOS_PER_TOKEN),
  };
}

/**
 * Computes the saving. The host alone has neither our tools nor our updates in its history, but writes the
 * rest again when it changes its prompt. It sends what we dropped with every call, but never rewrites
 * anything in order to drop it.
 */
function computeSavedPerMillion(call: BilledCall, price: Price): number {
  const { usage, heldTokens, updates, alone, ownToolTokens, droppedTokens } = call;
  const { cacheReadTokens } = usage;
  const announcedTokens = updates.announced / BYTES_PER_TOKEN;
  const carried = updates.carried / BYTES_PER_TOKEN;
  const writing = price.cacheWrite || price.input;
  // If nothing was read, the cache was cold, and the updates were written again with everything else.
  const carrying = cacheReadTokens === 0 ? writing : price.cacheRead;
  const hostAnnounces = alone.announcedBytes / BYTES_PER_TOKEN;
  const hostCarries = alone.carriedBytes / BYTES_PER_TOKEN;
  const addedCost =
    (announcedTokens - hostAnnounces) * writing +
    (carried - hostCarries + ownToolTokens) * carrying;
  // With breakpoints, the breakpoint before the Baseline is in the block that the host alone would change.
  const before = ownToolTokens + alone.keptTokens;
  const held = price.caching === "breakpoints" ? Math.max(0, cacheReadTokens - before) : heldTokens;
  const standing = Math.max(0, Math.min(cacheReadTokens, held) - carried);
  const rewritten = rewritesPrompt(alone, announcedTokens) ? standing + droppedTokens : 0;
  const again = rewritten - countRewrittenTokens(call);
  return again * Math.max(0, writing - price.cacheRead) + droppedTokens * carrying - addedCost;
}

function rewritesPrompt({ prompt }: HostWithoutPlugin, announcedTokens: number): boolean {
  return prompt === "where announced" ? announcedTokens > 0 : prompt === "rewritten";
}

/**
 * Counts the tokens that the call before had sent and this call could not read, because something before them
 * was dropped.
 */
function countRewrittenTokens({ usage, rewrittenTokens, newlyDroppedTokens }: BilledCall): number {
  // A rewrite costs nothing if the cache is dead.
  if (rewrittenTokens === null || usage.cacheReadTokens === 0) return 0;
  return Math.max(0, rewrittenTokens - newlyDroppedTokens - usage.cacheReadTokens);
}

const CHARACTERS_PER_TOKEN = 4;

/**
 * Estimates by how many tokens the sent history is shorter than the host's; negative if it is longer.
 * `countTokens` may cache: folded messages are counted after each send, and may be nearly all of a long
 * history.
 */
function estimateSparedTokens(
  { hidden, made }: ReplacedMessages,
  countTokens: (message: HostMessage) => number,
): number {
  return estimateHistoryTokens(hidden, countTokens) - estimateHistoryTokens(made, countTokens);
}

/** Estimates the tokens of the Baseline and of the messages up to `end`. */
export function estimateHeldTokens(
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

// Counts the tokens that a call holds and those that it is spared, which explain its bill.

export interface HeldTokens {
  /** The tokens that earlier calls had sent. */
  readonly heldTokens: number;
  readonly ownToolTokens: number;
  /** The number of tokens by which the host's history is longer than the sent one; our updates reduce it. */
  readonly sparedTokens: number;
  /** The value of `sparedTokens` for the call before. */
  readonly formerlySparedTokens: number;
  readonly rewrite: "this call" | "none";
}

export const NO_HELD_TOKENS: HeldTokens = {
  heldTokens: 0,
  ownToolTokens: 0,
  sparedTokens: 0,
  formerlySparedTokens: 0,
  rewrite: "none",
};

interface SentCallFacts {
  readonly facts: PassFacts;
  readonly system: { readonly baseline: string };
  /** Index, in the sent history, of the last message that an earlier call had sent; -1 if there is none. */
  readonly formerEnd: number;
}

export function countHeldTokens(
  { facts, system, formerEnd }: SentCallFacts,
  offered: OfferedTools,
  {
    before,
    toolTokens,
    countTokens,
  }: {
    readonly before: HeldTokens;
    readonly toolTokens: ReadonlyMap<string, number>;
    readonly countTokens: (message: HostMessage) => number;
  },
): HeldTokens {
  const isRewrite = facts.rewrite?.atMs === facts.startedAtMs;
  const sumToolTokens = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + (toolTokens.get(name) ?? 0), 0);
  return {
    heldTokens: estimateHeldTokens(system.baseline, facts.messages, formerEnd),
    ownToolTokens: offered ? sumToolTokens(offered.keys()) : before.ownToolTokens,
    sparedTokens: estimateSparedTokens(facts.replaced, countTokens),
    formerlySparedTokens: before.sparedTokens,
    rewrite: isRewrite ? "this call" : "none",
  };
}

/**
 * Computes the token counts for the bill. The dropped tokens are those by which the history is shorter, plus
 * those of our updates.
 */
export function computeBilledTokens(
  { heldTokens, ownToolTokens, sparedTokens, formerlySparedTokens, rewrite }: HeldTokens,
  former: TurnUsage | null,
  { announced, carried }: UpdateBytes,
): Pick<
  BilledCall,
  "heldTokens" | "ownToolTokens" | "droppedTokens" | "newlyDroppedTokens" | "rewrittenTokens"
> {
  const droppedTokens = Math.max(0, sparedTokens + (announced + carried) / BYTES_PER_TOKEN);
  const before = Math.max(0, formerlySparedTokens + carried / BYTES_PER_TOKEN);
  return {
    heldTokens,
    ownToolTokens,
    droppedTokens: droppedTokens,
    newlyDroppedTokens: Math.max(0, droppedTokens - before),
    rewrittenTokens: rewrite === "this call" && former ? sumContextTokens(former) : null,
  };
}
