/** Timers that run when a test says so. */
export class FakeClock {
  nowMs = 1_700_000_000_000;
  #timers: { readonly atMs: number; readonly work: () => void }[] = [];

  readonly now = () => this.nowMs;
  readonly later = (work: () => void, delayMs: number) => {
    this.#timers.push({ atMs: this.nowMs + delayMs, work });
  };

  /** Goes on by so many milliseconds, and lets everything that is due happen. */
  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    await quiet();
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= endMs);
      const next = due.sort((left, right) => left.atMs - right.atMs)[0];
      if (!next) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.work();
      await quiet();
    }
    this.nowMs = endMs;
  }

  /** All timers are gone, as with their process. */
  stop(): void {
    this.#timers = [];
  }
}

/** Lets all promises that can go on do so. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
