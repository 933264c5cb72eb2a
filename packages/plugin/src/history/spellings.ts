// Counts spellings in place: a map would need a string of each.

export class Spellings {
  /** The places where each of them came first. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #times: number[] = [];
  /** A hash table of spellings' numbers, each plus one; 0 is an empty slot. */
  readonly #slots: Int32Array;

  /** `codes` holds UTF-16 units, of which the spellings are ranges; `most` is how many spellings there can be. */
  constructor(
    private readonly codes: Uint16Array,
    most: number,
  ) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 1)));
  }

  /** Counts a spelling once more. Returns its number, the same for the same spelling. */
  count(from: number, to: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = this.#hash(from, to) & mask; ; slot = (slot + 1) & mask) {
      const number = (slots[slot] ?? 0) - 1;
      if (number < 0) {
        slots[slot] = this.#times.push(1);
        this.#starts.push(from);
        this.#ends.push(to);
        return this.#times.length - 1;
      }
      if (this.#is(number, from, to)) {
        this.#times[number] = this.times(number) + 1;
        return number;
      }
    }
  }

  times(number: number): number {
    return this.#times[number] ?? 0;
  }

  #hash(from: number, to: number): number {
    const { codes } = this;
    let hash = 0;
    for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + (codes[at] ?? 0)) | 0;
    return hash ^ (hash >>> 15);
  }

  #is(number: number, from: number, to: number): boolean {
    const { codes } = this;
    const start = this.#starts[number] ?? 0;
    if ((this.#ends[number] ?? 0) - start !== to - from) return false;
    for (let at = from; at < to; at++) if (codes[start + at - from] !== codes[at]) return false;
    return true;
  }
}
