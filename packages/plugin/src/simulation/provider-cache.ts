// A provider's prompt cache, by which a simulated session is billed.
import type { CacheRates } from "../projection/rates.ts";
import type { WireBlock, WireMessage } from "./wire.ts";

export interface CacheLife {
  /** Each use begins it again. */
  readonly ttlMs: number;
  readonly rates: CacheRates;
}

/** One call's prompt. */
export interface Billed {
  readonly tokens: number;
  readonly readTokens: number;
  /** In input tokens. */
  readonly bill: number;
}

interface Prefix {
  readonly block: WireBlock;
  readonly id: number;
  readonly tokens: number;
}

/** Where breakpoints stand: at the end of each of the newest messages. */
const MARKED_MESSAGES = 2;

export class ProviderCache {
  readonly #ids = new Map<string, number>();
  readonly #expiries = new Map<number, number>();
  #former: readonly Prefix[] = [];

  constructor(
    /** Tools and system: they stand in front, with a breakpoint at their end. */
    private readonly frontTokens: number,
    private readonly life: CacheLife,
  ) {}

  bill(messages: readonly WireMessage[], atMs: number): Billed {
    const prefixes = this.#prefixesOf(messages.flat());
    const marked = markedPlaces(messages);
    const { lookBackBlocks, read, write } = this.life.rates;
    const reach = lookBackBlocks ?? Number.POSITIVE_INFINITY;
    let found: Prefix | null = null;
    for (const place of marked) {
      for (let index = place; index >= 0 && place - index < reach; index--) {
        const prefix = prefixes[index];
        if (!prefix || (this.#expiries.get(prefix.id) ?? 0) <= atMs) continue;
        // The last of them reaches furthest.
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

  #prefixesOf(blocks: readonly WireBlock[]): readonly Prefix[] {
    const made: Prefix[] = [];
    let isKnown = true;
    let [id, tokens] = [FRONT, this.frontTokens];
    for (const [index, block] of blocks.entries()) {
      const former: Prefix | undefined = isKnown ? this.#former[index] : undefined;
      const prefix: Prefix =
        former?.block === block
          ? former
          : { block, id: this.#idOf(`${id} ${block.key}`), tokens: tokens + block.tokens };
      isKnown = prefix === former;
      made.push(prefix);
      [id, tokens] = [prefix.id, prefix.tokens];
    }
    this.#former = made;
    return made;
  }

  #idOf(key: string): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#ids.size + 1;
    this.#ids.set(key, id);
    return id;
  }
}

const FRONT = 0;

function markedPlaces(messages: readonly WireMessage[]): readonly number[] {
  const places: number[] = [];
  let end = -1;
  for (const { length } of messages) {
    end += length;
    places.push(end);
  }
  return places.slice(-MARKED_MESSAGES);
}
