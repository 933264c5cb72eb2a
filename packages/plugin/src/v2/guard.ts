// The one guard of hooks on OpenCode 2: what throws there stops a session, and nothing there limits its time.
import { within } from "../sources/within.ts";
import type { Instance } from "./instance.ts";

const LIMIT_MS = 5_000;

export class Guard {
  #opening: Promise<Instance> | null = null;
  #instance: Instance | null = null;
  #standing: "waits" | "passes" = "waits";

  /** What failed before there was a log. */
  readonly #early: (readonly [where: string, error: unknown])[] = [];

  constructor(private readonly open: () => Promise<Instance>) {}

  get isOpen(): boolean {
    return this.#instance !== null;
  }

  opened(): Promise<Instance> {
    this.#opening ??= this.open().then((instance) => {
      this.#instance = instance;
      for (const [where, error] of this.#early) instance.failures.failed(where, error);
      return instance;
    });
    return this.#opening;
  }

  /** Null: the host's own stays, as nothing changes, or the work failed or took too long. */
  async run<T extends object>(
    where: string,
    work: (instance: Instance) => Promise<T | null>,
  ): Promise<T | null> {
    // What could not be opened in time once delays no further request.
    if (this.#instance === null && this.#standing === "passes") return null;
    try {
      const done = this.opened().then(work);
      const made = await within(LIMIT_MS, done, () => "late" as const);
      if (made !== "late") return made;
      throw new Error(`no answer within ${LIMIT_MS} ms`);
    } catch (error) {
      this.#report(where, error);
      return null;
    }
  }

  async close(): Promise<void> {
    await this.#instance?.close();
  }

  /** Something failed that no request waits for. */
  failedBeside(where: string, error: unknown): void {
    if (this.#instance) this.#instance.failures.failed(where, error);
    else this.#early.push([where, error]);
  }

  /** Without an instance there is no log yet, and the host shows what is written to its error output. */
  #report(where: string, error: unknown): void {
    if (this.#instance) {
      this.#instance.failures.failed(where, error);
      return;
    }
    this.#standing = "passes";
    const why = error instanceof Error ? error.name : typeof error;
    console.error(
      `Session Runtime could not be opened (${why}), so requests go as OpenCode makes them. Restart OpenCode to try again.`,
    );
  }
}
