// The one guard of an edge whose host waits for its hooks: opens the instance at first use, and limits their time.
import type { FailureReporter } from "../log/fault.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import { TimeoutError } from "./guard.ts";

interface GuardedInstance {
  readonly failures: FailureReporter;
  readonly close: () => Promise<void>;
}

interface GuardDeps<Instance> {
  readonly open: () => Promise<Instance>;
  /** Reports once that the instance could not be opened in time, as there is no log yet. */
  readonly refused: (where: string, error: unknown) => void;
}

/** Limits how long a hook waits for its work. */
const HOOK_TIMEOUT_MS = 5_000;

const TIMED_OUT = Symbol("late");

export class OpeningGuard<Instance extends GuardedInstance> {
  #opening: Promise<Instance> | null = null;
  #instance: Instance | null = null;
  #standing: "waits" | "passes" = "waits";

  /** Holds the failures from before there was a log. */
  readonly #early: (readonly [where: string, error: unknown])[] = [];

  constructor(private readonly deps: GuardDeps<Instance>) {}

  get isOpen(): boolean {
    return this.#instance !== null;
  }

  whenOpened(): Promise<Instance> {
    this.#opening ??= this.deps.open().then((instance) => {
      this.#instance = instance;
      for (const [where, error] of this.#early) instance.failures.failed(where, error);
      return instance;
    });
    return this.#opening;
  }

  /**
   * Runs a hook's work. Returns null, which keeps the host's own value, if nothing changes or if the work
   * fails or takes too long.
   */
  run<Made>(
    where: string,
    work: (instance: Instance) => Promise<Made | null>,
  ): Promise<Made | null> {
    return this.attempt(where, async () => {
      const done = this.whenOpened().then(work);
      const made = await withTimeout(HOOK_TIMEOUT_MS, done, (): typeof TIMED_OUT => TIMED_OUT);
      if (made !== TIMED_OUT) return made;
      throw new TimeoutError(HOOK_TIMEOUT_MS);
    });
  }

  /** Runs work without a time limit. Returns null if the work fails. */
  async attempt<Made>(where: string, work: () => Promise<Made | null>): Promise<Made | null> {
    // After a failed or late opening, calls pass unchanged until the instance is open.
    if (this.#instance === null && this.#standing === "passes") return null;
    try {
      const made = await work();
      this.#instance?.failures.worked(where);
      return made;
    } catch (error) {
      this.#report(where, error);
      return null;
    }
  }

  /** Closes the instance if there is one; if it is still opening, waits for it up to the usual limit. */
  async close(): Promise<void> {
    const closed = this.#opening?.then(
      (instance) => instance.close(),
      () => undefined,
    );
    if (closed) await withTimeout(HOOK_TIMEOUT_MS, closed, () => undefined);
  }

  /** Reports a failure that no request waits for. */
  reportFailure(where: string, error: unknown): void {
    if (this.#instance) this.#instance.failures.failed(where, error);
    else this.#early.push([where, error]);
  }

  #report(where: string, error: unknown): void {
    if (this.#instance) {
      this.#instance.failures.failed(where, error);
      return;
    }
    if (this.#standing === "passes") return;
    this.#standing = "passes";
    this.deps.refused(where, error);
  }
}
