// Tracks whether an inbox is open, and runs the work that it postpones.
import { StorageError } from "../../storage/errors.ts";
import type { InboxDeps } from "./inbox-deps.ts";

/** The name under which a failure of unawaited work is reported. */
type FailureContext = "inbox" | "promotion" | "lease";

/** A closed inbox opens, sends and writes nothing any more: another instance has the sessions. */
export class Lifetime {
  #life: "open" | "closed" = "open";

  constructor(private readonly deps: Pick<InboxDeps, "ensure" | "later" | "failed" | "worked">) {}

  get isClosed(): boolean {
    return this.#life === "closed";
  }

  close(): void {
    this.#life = "closed";
  }

  /** Opens the database. @throws StorageError, also once it was closed */
  async ensure(): Promise<void> {
    if (this.isClosed) throw new StorageError("unopenable", "This inbox was closed.");
    await this.deps.ensure();
  }

  /** Does the work after so many milliseconds, unless the inbox was closed by then. */
  later(where: FailureContext, delayMs: number, work: () => void | Promise<void>): void {
    this.deps.later(() => void this.alone(where, work), delayMs);
  }

  /** Does what nobody waits for; a failure is reported. */
  async alone(where: FailureContext, work: () => void | Promise<void>): Promise<void> {
    if (this.isClosed) return;
    try {
      await work();
      this.deps.worked(where);
    } catch (error) {
      this.failed(where, error);
    }
  }

  /** Work that a closed inbox had postponed can't fail. */
  failed(where: FailureContext, error: unknown): void {
    if (!this.isClosed) this.deps.failed(where, error);
  }
}
