// After words were deleted for good: they leave the write-ahead log too, as soon as no one reads an older state.

/** What SQLite is asked. */
interface Checkpointing {
  readonly exec: (sql: string) => void;
  readonly get: (sql: string) => Readonly<Record<string, unknown>> | null;
}

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** One connection's. Nothing is done before something is deleted. */
export class SecureDeletion {
  #depth = 0;
  #isDue = false;
  #waitMs = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly connection: Checkpointing) {}

  /** Runs a statement or a transaction; the log is emptied after the outermost one. */
  around<T>(deletes: "deletes" | "may delete", body: () => T): T {
    this.#depth += 1;
    try {
      const result = body();
      if (deletes === "deletes") this.#isDue = true;
      return result;
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0 && this.#isDue) this.#empty();
    }
  }

  /** The last connection of a file empties its log by being closed; before others it is tried once more. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#isDue) this.#checkpoint();
    this.#isDue = false;
  }

  #empty(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#checkpoint() === "emptied") {
      this.#isDue = false;
      this.#waitMs = FIRST_WAIT_MS;
      return;
    }
    this.#timer = setTimeout(() => this.#empty(), this.#waitMs);
    this.#timer.unref();
    this.#waitMs = Math.min(2 * this.#waitMs, MAX_WAIT_MS);
  }

  /** Waits for nobody: it runs on the host's own thread. */
  #checkpoint(): "emptied" | "in use" {
    const { exec, get } = this.connection;
    try {
      const timeoutMs = Number(get("PRAGMA busy_timeout")?.timeout ?? 0);
      exec("PRAGMA busy_timeout = 0");
      const isEmptied = get("PRAGMA wal_checkpoint(TRUNCATE)")?.busy === 0;
      exec(`PRAGMA busy_timeout = ${timeoutMs}`);
      return isEmptied ? "emptied" : "in use";
    } catch {
      // Locked, or the disk is full: it is tried again, and what is stored is not concerned.
      return "in use";
    }
  }
}
