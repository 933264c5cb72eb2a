// Seeded chance and invented names.

/** Deterministic: the same seed gives the same session. */
export class Dice {
  #state: number;
  readonly #used = new Set<string>();

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** From 0, below 1. */
  share(): number {
    // Mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Both ends included. */
  from(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1));
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[Math.floor(this.share() * values.length)] ?? values[0];
  }

  shuffled<Value>(values: readonly Value[]): Value[] {
    return values
      .map((value) => ({ value, at: this.share() }))
      .toSorted((left, right) => left.at - right.at)
      .map(({ value }) => value);
  }

  /** A name that no other call of this session's dice gives. */
  name(): string {
    return this.#once(
      () => this.pick(HEADS) + this.pick(MIDDLES) + this.pick(MIDDLES) + this.pick(TAILS),
    );
  }

  person(): string {
    return this.#once(() => `${this.pick(FIRST)} ${this.pick(HEADS)}${this.pick(SURNAMES)}`);
  }

  /** Five digits; what fills the outputs has fewer. */
  figure(): string {
    return this.#once(() => String(this.from(10_000, 99_999)));
  }

  codename(): string {
    return this.#once(() => `${this.pick(COLOURS)}-${this.pick(ANIMALS)}-${this.from(10, 99)}`);
  }

  digest(): string {
    return this.#once(() => this.from(0x1000000, 0xfffffff).toString(16));
  }

  #once(make: () => string): string {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const made = make();
      if (this.#used.has(made)) continue;
      this.#used.add(made);
      return made;
    }
    throw new Error("The session is so long that names run out");
  }
}

const MAX_ATTEMPTS = 1_000;

const HEADS = [
  ...(["Oko", "Tar", "Ves", "Lun", "Mar", "Quel", "Bram", "Jor", "Sil", "Hal"] as const),
  ...(["Nev", "Pra", "Ost", "Wen", "Cor", "Del", "Fen", "Gar", "Ib", "Kest"] as const),
] as const;
const MIDDLES = ["a", "ri", "vo", "le", "no", "mi", "du", "sha", "be", "ka", "ti", "ro"] as const;
const TAILS = ["bridge", "field", "gate", "mere", "ton", "vale", "wick", "ford", "dell"] as const;
const SURNAMES = ["czyk", "sen", "wala", "mann", "ova", "berg", "etti", "ström"] as const;
const FIRST = ["Marta", "Ingrid", "Tomas", "Aiko", "Ravi", "Selma", "Pavel", "Noor"] as const;
const COLOURS = ["teal", "amber", "slate", "coral", "ochre", "violet", "umber", "jade"] as const;
const ANIMALS = ["otter", "heron", "lynx", "marten", "plover", "stoat", "ibex", "wren"] as const;
