// A value that is asked for again in the background when it is old.

interface SamplerOptions<Value> {
  /** After this long the value counts as old; 0: each load asks again, and waits. */
  readonly refreshMs: number;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /** Never rejects. Is given the last value, null before the first. */
  readonly ask: (last: Value | null) => Promise<Value>;
}

/**
 * The last value. It is asked for when it is loaded and older than `refreshMs`; meanwhile the last one
 * stands, so that no model call waits for it. Only the very first is waited for, and each with
 * `refreshMs` 0. It is never asked for twice at once.
 */
export class Sampler<Value> {
  #last: { readonly value: Value } | null = null;
  #asking: Promise<Value> | null = null;
  #askedAtMs = 0;

  constructor(private readonly options: SamplerOptions<Value>) {}

  load(): Promise<Value> {
    const { now, refreshMs } = this.options;
    if (this.#last === null || refreshMs === 0) return this.#refresh();
    // A clock that was put back makes the value old, too.
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
