// A provider's prompt cache, by which the mock providers bill.
import { type Block, commonBlocks, estimateTokens, sumTokens } from "../block.ts";
import { commonLength } from "../wire.ts";
import type { Caching, Usage } from "./rates.ts";

export interface CacheSettings {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** An entry's life; each use begins it again. */
  readonly ttlMs: number;
  /** A shorter prefix is neither stored nor found. */
  readonly minimumTokens: number;
  /** Positions looked at from a breakpoint backwards, itself the first. */
  readonly lookBackBlocks: number;
  /** Automatic caches count hits in steps of so many tokens. */
  readonly stepTokens: number;
}

export const REALISTIC: CacheSettings = {
  clock: Date.now,
  ttlMs: 5 * 60_000,
  minimumTokens: 1_024,
  lookBackBlocks: 20,
  stepTokens: 128,
};

/** One prompt as the cache sees it. */
interface Prompt {
  readonly model: string;
  readonly caching: Caching;
  readonly blocks: readonly Block[];
}

/** A request's cost split, without its answer. */
export type InputUsage = Omit<Usage, "outputTokens">;

export interface PromptCache {
  /** Bills a prompt that the provider accepted, and remembers it. */
  bill(prompt: Prompt): InputUsage;
}

/** One account's cache: shared by its sessions, apart for each model. */
export function makePromptCache(settings: CacheSettings): PromptCache {
  const marked = makeMarkedCache(settings);
  const automatic = makeAutomaticCache(settings);
  return {
    bill: (prompt) => (prompt.caching === "breakpoints" ? marked : automatic).bill(prompt),
  };
}

/** Anthropic's: entries end at breakpoints; a hit is an entry near a breakpoint of this request. */
function makeMarkedCache(settings: CacheSettings): PromptCache {
  const expiries = new Map<string, number>();
  return {
    bill({ model, blocks }) {
      const now = settings.clock();
      const prefixes = hashPrefixes(model, blocks);
      const breakpoints = prefixes.filter(
        (prefix) => prefix.breakpoint && prefix.tokens >= settings.minimumTokens,
      );
      const reach = breakpoints.flatMap(({ index }) =>
        prefixes.slice(Math.max(0, index + 1 - settings.lookBackBlocks), index + 1),
      );
      const hits = reach.filter((prefix) => (expiries.get(prefix.hash) ?? -1) > now);
      const readTokens = Math.max(0, ...hits.map((prefix) => prefix.tokens));
      for (const { hash } of [...breakpoints, ...hits]) expiries.set(hash, now + settings.ttlMs);
      const cachedTokens = breakpoints.at(-1)?.tokens ?? 0;
      const inputTokens = sumTokens(blocks) - Math.max(cachedTokens, readTokens);
      return { inputTokens, writeTokens: Math.max(0, cachedTokens - readTokens), readTokens };
    },
  };
}

interface Prefix {
  readonly index: number;
  readonly hash: string;
  readonly tokens: number;
  readonly breakpoint: boolean;
}

function hashPrefixes(model: string, blocks: readonly Block[]): readonly Prefix[] {
  let hash = model;
  let tokens = 0;
  return blocks.map((block, index) => {
    hash = Bun.hash(`${hash}\0${block.layer}\0${block.role}\0${block.bytes}`).toString(36);
    tokens += block.tokens;
    return { index, hash, tokens, breakpoint: block.breakpoint };
  });
}

interface StoredPrompt {
  readonly model: string;
  readonly blocks: readonly Block[];
  expiresAt: number;
}

/** OpenAI's and Gemini's: the longest token prefix of any recent prompt, in steps. */
function makeAutomaticCache(settings: CacheSettings): PromptCache {
  let stored: StoredPrompt[] = [];
  return {
    bill({ model, blocks }) {
      const now = settings.clock();
      stored = stored.filter((entry) => entry.expiresAt > now);
      const shared = stored
        .filter((entry) => entry.model === model)
        .map((entry) => ({ entry, tokens: commonTokens(entry.blocks, blocks) }))
        .filter(({ tokens }) => tokens >= settings.minimumTokens);
      for (const { entry } of shared) entry.expiresAt = now + settings.ttlMs;
      const longest = Math.max(0, ...shared.map(({ tokens }) => tokens));
      const readTokens = longest - (longest % settings.stepTokens);
      stored.push({ model, blocks, expiresAt: now + settings.ttlMs });
      return { inputTokens: sumTokens(blocks) - readTokens, writeTokens: 0, readTokens };
    },
  };
}

function commonTokens(a: readonly Block[], b: readonly Block[]): number {
  const count = commonBlocks(a, b);
  const whole = sumTokens(a.slice(0, count));
  const left = a[count]?.bytes;
  const right = b[count]?.bytes;
  if (left === undefined || right === undefined) return whole;
  const partial = estimateTokens(left.slice(0, commonLength(left, right)));
  return whole + Math.max(0, partial - 1);
}
