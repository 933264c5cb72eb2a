// A value that is refreshed in the background when it is old.

interface SamplerOptions<Value> {
  /** The value counts as old after this time; with 0 each load refreshes it and waits. */
  readonly refreshMs: number;
  /** Reads a clock in milliseconds; only differences count. */
  readonly now: () => number;
  /** Produces the next value from the last one, which is null at first. Never rejects. */
  readonly ask: (last: Value | null) => Promise<Value>;
}

/**
 * Holds the last value. A load that finds it older than `refreshMs` starts a refresh and returns the old
 * value, so that no model call waits. Only the very first load waits, and each with `refreshMs` 0. Refreshes
 * never overlap.
 */
export class Sampler<Value> {
  #last: { readonly value: Value } | null = null;
  #asking: Promise<Value> | null = null;
  #askedAtMs = 0;

  constructor(private readonly options: SamplerOptions<Value>) {}

  load(): Promise<Value> {
    const { now, refreshMs } = this.options;
    if (this.#last === null || refreshMs === 0) return this.#refresh();
    // A clock that was set back makes the value old, too.
    if (Math.abs(now() - this.#askedAtMs) >= refreshMs) void this.#refresh();
    return Promise.resolve(this.#last.value);
  }

  #refresh(): Promise<Value> {
    this.#asking ??= this.#ask();
    return this.#asking;
  }

  async #ask(): Promise<Value> {
    this.#askedAtMs = this.options.now();
    const value = await this.options.ask(this.#last?.value ?? null);
    this.#last = { value };
    this.#asking = null;
    return value;
  }
}
