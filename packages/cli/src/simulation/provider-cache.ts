// Simulates a provider's prompt cache, and bills a session by it.
import type { CacheRates } from "@session-runtime/opencode/ledger/space";
import type { WireBlock, WireMessage } from "./wire.ts";

export interface CacheLife {
  /** The lifetime of a prefix, which each use renews. */
  readonly ttlMs: number;
  readonly rates: CacheRates;
}

/** Holds the bill of one call's prompt. */
export interface PromptBill {
  readonly tokens: number;
  readonly readTokens: number;
  /** The bill in input tokens. */
  readonly bill: number;
}

interface Prefix {
  readonly block: WireBlock;
  readonly id: number;
  readonly tokens: number;
}

/** Counts the newest messages that have a breakpoint at their end. */
const MARKED_MESSAGES = 2;

export class ProviderCache {
  readonly #ids = new Map<string, number>();
  readonly #expiries = new Map<number, number>();
  #former: readonly WireMessage[] = [];
  /** The former call's prefixes, one for each of its blocks. */
  readonly #prefixes: Prefix[] = [];

  constructor(
    /** The tokens of tools and system prompt, which come first and end with a breakpoint. */
    private readonly frontTokens: number,
    private readonly life: CacheLife,
  ) {}

  bill(messages: readonly WireMessage[], atMs: number): PromptBill {
    const prefixes = this.#hashPrefixes(messages);
    const marked = markedPlaces(messages, prefixes.length);
    const { lookBackBlocks, read, write } = this.life.rates;
    const reach = lookBackBlocks ?? Number.POSITIVE_INFINITY;
    let found: Prefix | null = null;
    for (const place of marked) {
      for (let index = place; index >= 0 && place - index < reach; index--) {
        const prefix = prefixes[index];
        if (!prefix || (this.#expiries.get(prefix.id) ?? 0) <= atMs) continue;
        // The prefix at the last breakpoint is the longest.
        found = prefix;
        this.#keep(prefix.id, atMs);
        break;
      }
    }
    const frontRead = (this.#expiries.get(FRONT) ?? 0) > atMs;
    this.#keep(FRONT, atMs);
    for (const place of marked) {
      const prefix = prefixes[place];
      if (prefix) this.#keep(prefix.id, atMs);
    }
    // A cache without breakpoints keeps every prefix.
    if (lookBackBlocks === null) for (const { id } of prefixes) this.#keep(id, atMs);
    const tokens = prefixes.at(-1)?.tokens ?? this.frontTokens;
    const readTokens = found?.tokens ?? (frontRead ? this.frontTokens : 0);
    return { tokens, readTokens, bill: readTokens * read + (tokens - readTokens) * write };
  }

  #keep(id: number, atMs: number): void {
    this.#expiries.set(id, atMs + this.life.ttlMs);
  }

  /** Returns the prefixes of all blocks, reusing those of messages that the call before had. */
  #hashPrefixes(messages: readonly WireMessage[]): readonly Prefix[] {
    const before = this.#former;
    let [same, blocks] = [0, 0];
    for (const message of messages) {
      if (before[same] !== message) break;
      same += 1;
      blocks += message.length;
    }
    // This is a copy, because the sender adds to its own list.
    this.#former = [...messages];
    const former = this.#prefixes.splice(blocks);
    let isKnown = true;
    for (const [index, block] of messages.slice(same).flat().entries()) {
      const known: Prefix | undefined = isKnown ? former[index] : undefined;
      isKnown = known?.block === block;
      this.#prefixes.push(known && isKnown ? known : this.#next(block));
    }
    return this.#prefixes;
  }

  #next(block: WireBlock): Prefix {
    const { id, tokens } = this.#prefixes.at(-1) ?? { id: FRONT, tokens: this.frontTokens };
    return { block, id: this.#assignId(`${id} ${block.key}`), tokens: tokens + block.tokens };
  }

  #assignId(key: string): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#ids.size + 1;
    this.#ids.set(key, id);
    return id;
  }
}

const FRONT = 0;

/** Returns the indexes of the blocks with a breakpoint, among so many blocks. */
function markedPlaces(messages: readonly WireMessage[], blocks: number): readonly number[] {
  const places: number[] = [];
  let end = blocks - 1;
  for (const { length } of messages.slice(-MARKED_MESSAGES).reverse()) {
    places.unshift(end);
    end -= length;
  }
  return places;
}
