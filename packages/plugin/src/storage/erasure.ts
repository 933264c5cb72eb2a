// Removes deleted text from the write-ahead log too, as soon as no process reads an older state.

/** Lists the SQLite statements that a checkpoint needs. */
interface Checkpointing {
  readonly exec: (sql: string) => void;
  readonly get: (sql: string) => Readonly<Record<string, unknown>> | null;
}

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** Empties one connection's log after deletions; does nothing before the first one. */
export class SecureDeletion {
  #depth = 0;
  #isDue = false;
  #waitMs = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly connection: Checkpointing) {}

  /** Runs a statement or a transaction and empties the log after the outermost one. */
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

  /** Tries once more to empty the log. SQLite does so itself when a file's last connection closes. */
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

  /** Empties the log without waiting for others, because it runs on the host's own thread. */
  #checkpoint(): "emptied" | "in use" {
    const { exec, get } = this.connection;
    try {
      const timeoutMs = Number(get("PRAGMA busy_timeout")?.timeout ?? 0);
      exec("PRAGMA busy_timeout = 0");
      const isEmptied = get("PRAGMA wal_checkpoint(TRUNCATE)")?.busy === 0;
      exec(`PRAGMA busy_timeout = ${timeoutMs}`);
      return isEmptied ? "emptied" : "in use";
    } catch {
      // The file is locked or the disk is full. The checkpoint is retried, and stored data is not affected.
      return "in use";
    }
  }
}
