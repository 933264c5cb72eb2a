// One run at a time per key in this process; wakes coalesce, keys run side by side.

/** How a run ended. What failed was told to `failed`, once. */
export type RunEnd = "done" | "failed" | "interrupted";

export interface CoordinatorDeps<Key> {
  /** One run of a key's work; it stops, and cleans up, when the signal says so. */
  readonly run: (key: Key, signal: AbortSignal) => Promise<void>;
  readonly failed: (key: Key, error: unknown) => void;
}

/** The runs of one key, one after the other. */
interface Chain {
  controller: AbortController;
  current: Promise<RunEnd>;
  /** Whether one more run is due when the current one has ended. */
  due: "none" | "one";
}

/**
 * One owner per key in this process: runs of one key follow each other, those of different keys go
 * side by side. It knows neither sessions nor storage.
 */
export class Coordinator<Key> {
  readonly #chains = new Map<Key, Chain>();

  constructor(private readonly deps: CoordinatorDeps<Key>) {}

  isActive(key: Key): boolean {
    return this.#chains.has(key);
  }

  /** Asks for a run: at once where none is going on; wakes during one are one more run together. */
  wake(key: Key): void {
    const chain = this.#chains.get(key);
    if (chain) chain.due = "one";
    else this.#begin(key);
  }

  /** Joins the run that is going on, or starts one. Never rejects. */
  resume(key: Key): Promise<RunEnd> {
    return (this.#chains.get(key) ?? this.#begin(key)).current;
  }

  /**
   * Stops the run that is going on and waits until it has cleaned up. What was asked for before is
   * dropped, what is asked for meanwhile runs afterwards. Nothing happens where nothing runs.
   */
  async interrupt(key: Key): Promise<void> {
    const chain = this.#chains.get(key);
    if (!chain) return;
    chain.due = "none";
    chain.controller.abort();
    await chain.current;
  }

  #begin(key: Key): Chain {
    const chain: Chain = {
      controller: new AbortController(),
      current: Promise.resolve<RunEnd>("done"),
      due: "none",
    };
    this.#chains.set(key, chain);
    chain.current = this.#runOnce(key, chain.controller.signal);
    void this.#follow(key, chain);
    return chain;
  }

  /** A loop and no recursion: work that wakes itself for ever costs no stack. */
  async #follow(key: Key, chain: Chain): Promise<void> {
    for (;;) {
      await chain.current;
      if (chain.due === "none") break;
      chain.due = "none";
      chain.controller = new AbortController();
      chain.current = this.#runOnce(key, chain.controller.signal);
    }
    this.#chains.delete(key);
  }

  async #runOnce(key: Key, signal: AbortSignal): Promise<RunEnd> {
    try {
      await this.deps.run(key, signal);
      return signal.aborted ? "interrupted" : "done";
    } catch (error) {
      if (signal.aborted && error === signal.reason) return "interrupted";
      this.deps.failed(key, error);
      return "failed";
    }
  }
}
