// What it costs to have a token read again, or written, against one that no cache knows.

/** In input tokens of the same model. */
export interface CacheRates {
  readonly read: number;
  readonly write: number;
  /**
   * How many blocks before a breakpoint the provider looks for what it knows; null: it finds the
   * longest prefix by itself.
   */
  readonly lookBackBlocks: number | null;
}

/** The host's price record of a model, in any currency, and how its provider finds what it knows. */
interface RecordedPrice {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly caching: "breakpoints" | "automatic";
}

const DEFAULT_READ_RATE = 0.1;
const DEFAULT_WRITE_RATE = 1.25;
const LOOK_BACK_BLOCKS = 20;

/** What a record leaves open (zero) is taken as usual. A write without a price is an input. */
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

/** Where nothing is known of the model. */
export const usualRates: CacheRates = {
  read: DEFAULT_READ_RATE,
  write: DEFAULT_WRITE_RATE,
  lookBackBlocks: null,
};
