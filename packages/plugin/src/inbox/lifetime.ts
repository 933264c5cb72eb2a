// Runs the inbox's postponed work only while the inbox is open.
import { StorageError } from "../storage/store.ts";
import type { InboxDeps } from "./inbox-deps.ts";

/** How long an inbox lives: what it has put off happens only until it is closed. */
export class Lifetime {
  #hasEnded = false;

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** The same, within this lifetime: afterwards no timer runs, the database stays closed, and that is no failure. */
  bound(deps: InboxDeps): InboxDeps {
    return {
      ...deps,
      ensure: async () => {
        if (this.#hasEnded) throw new StorageError("unopenable", "This inbox was closed.");
        await deps.ensure();
      },
      later: (work, delayMs) =>
        deps.later(() => {
          if (!this.#hasEnded) work();
        }, delayMs),
      failed: (where, error) => {
        if (!this.#hasEnded) deps.failed(where, error);
      },
    };
  }
}
