// Finds the nearest of many vectors, by the cosine. Pure.

/** Holds some vectors of length 1 in a row, and the item that each belongs to. */
export interface Block<Item> {
  readonly items: readonly Item[];
  readonly numbers: Float32Array;
}

interface NearItem<Item> {
  readonly item: Item;
  /** The cosine, from -1 to 1. */
  readonly likeness: number;
}

/** The mean is meaningful only from this many vectors on. */
const MIN_FOR_MEAN = 20;
/** The threshold in standard deviations above the mean: what any two texts have in common answers nothing. */
const STANDS_OUT = 2;
const FEW_FOUND = 3;

/** Returns the vectors that stand out, nearest first. @param query of length 1 */
export function findNearest<Item>(
  blocks: readonly Block<Item>[],
  query: Float32Array,
  most: number,
): readonly NearItem<Item>[] {
  const scanned = blocks.map(({ items, numbers }) => ({
    items,
    likenesses: likenesses(numbers, items.length, query),
  }));
  const { least, most: limit } = scoreBounds(scanned.map((one) => one.likenesses));
  const found: NearItem<Item>[] = [];
  for (const { items, likenesses: all } of scanned) {
    for (const [at, item] of items.entries()) {
      const likeness = all[at] ?? 0;
      if (likeness > 0 && likeness >= least) found.push({ item, likeness });
    }
  }
  found.sort((left, right) => right.likeness - left.likeness);
  return found.slice(0, Math.min(most, limit));
}

/** Computes the likeness that a vector has to reach, and the most vectors to return. */
function scoreBounds(all: readonly Float32Array[]): {
  readonly least: number;
  readonly most: number;
} {
  const count = all.reduce((sum, { length }) => sum + length, 0);
  if (count < MIN_FOR_MEAN) return { least: 0, most: FEW_FOUND };
  let [sum, squares] = [0, 0];
  for (const some of all) {
    for (const one of some) {
      sum += one;
      squares += one * one;
    }
  }
  const mean = sum / count;
  const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
  return { least: mean + STANDS_OUT * deviation, most: Number.MAX_SAFE_INTEGER };
}

/** The number of sums kept in parallel: it takes a third of the time of a single sum. */
const LANES = 4;

/** Multiplies each row with the query; the scalar product is the cosine, as all have length 1. */
export function likenesses(numbers: Float32Array, rows: number, query: Float32Array): Float32Array {
  const found = new Float32Array(rows);
  // Double precision avoids conversions. Beyond its end a factor counts as 0.
  const factors = Float64Array.from(query);
  const width = factors.length;
  for (let row = 0; row < rows; row++) {
    // In an array the engine would keep these sums out of its registers, which takes three times as long.
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let at = 0, from = row * width; at < width; at += LANES, from += LANES) {
      a += (numbers[from] ?? 0) * (factors[at] ?? 0);
      b += (numbers[from + 1] ?? 0) * (factors[at + 1] ?? 0);
      c += (numbers[from + 2] ?? 0) * (factors[at + 2] ?? 0);
      d += (numbers[from + 3] ?? 0) * (factors[at + 3] ?? 0);
    }
    found[row] = a + b + c + d;
  }
  return found;
}
