// The models that are asked, one after the other: the one that answered last comes first.

export class ModelChain {
  #at = 0;

  /** None: the model of all jobs. */
  constructor(private readonly models: readonly string[]) {}

  get current(): string | null {
    return this.models[this.#at] ?? null;
  }

  /** How many there are to try. */
  get length(): number {
    return Math.max(1, this.models.length);
  }

  /** The current one has failed. */
  next(): void {
    this.#at = (this.#at + 1) % this.length;
  }
}
