// Computes what a token costs that the cache reads or writes, relative to an uncached one.

/** The costs of a token, in input tokens of the same model. */
export interface CacheRates {
  readonly read: number;
  readonly write: number;
  /**
   * The number of blocks before a breakpoint that the provider searches for a known prefix; null if it finds the
   * longest prefix by itself.
   */
  readonly lookBackBlocks: number | null;
}

/** The host's price record of a model, in any currency, and how its provider finds a known prefix. */
interface RecordedPrice {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly caching: "breakpoints" | "automatic";
}

const DEFAULT_READ_RATE = 0.1;
const DEFAULT_WRITE_RATE = 1.25;
const LOOK_BACK_BLOCKS = 20;

/**
 * Turns a price record into rates. A missing price (zero) takes the usual rate; a write without one costs an
 * input.
 */
export function toRates(price: RecordedPrice): CacheRates {
  const { input, cacheRead, cacheWrite, caching } = price;
  const share = (part: number, usual: number) => (input > 0 && part > 0 ? part / input : usual);
  const marked = caching === "breakpoints";
  return {
    read: share(cacheRead, DEFAULT_READ_RATE),
    write: share(cacheWrite, marked ? DEFAULT_WRITE_RATE : 1),
    lookBackBlocks: marked ? LOOK_BACK_BLOCKS : null,
  };
}

/** The rates where nothing is known of the model. */
export const usualRates: CacheRates = {
  read: DEFAULT_READ_RATE,
  write: DEFAULT_WRITE_RATE,
  lookBackBlocks: null,
};
