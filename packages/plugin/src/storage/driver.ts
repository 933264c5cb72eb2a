// The driver: one connection to one SQLite file.

// Removes deleted text from the write-ahead log too, as soon as no process reads an older state.

/** Lists the SQLite statements that a checkpoint needs. */
interface CheckpointStatements {
  readonly exec: (sql: string) => void;
  readonly get: (sql: string) => Readonly<Record<string, unknown>> | null;
}

const FIRST_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 60_000;

/** Empties one connection's log after deletions; does nothing before the first one. */
export class SecureDeletion {
  #depth = 0;
  #isDue = false;
  #waitMs = FIRST_RETRY_DELAY_MS;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly connection: CheckpointStatements) {}

  /** Runs a statement or a transaction and empties the log after the outermost one. */
  runAndEmptyWal<T>(deletes: "deletes" | "may delete", body: () => T): T {
    this.#depth += 1;
    try {
      const result = body();
      if (deletes === "deletes") this.#isDue = true;
      return result;
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0 && this.#isDue) this.#emptyWal();
    }
  }

  /** Tries once more to empty the log. SQLite does so itself when a file's last connection closes. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#isDue) this.#checkpoint();
    this.#isDue = false;
  }

  #emptyWal(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#checkpoint() === "emptied") {
      this.#isDue = false;
      this.#waitMs = FIRST_RETRY_DELAY_MS;
      return;
    }
    this.#timer = setTimeout(() => this.#emptyWal(), this.#waitMs);
    this.#timer.unref();
    this.#waitMs = Math.min(2 * this.#waitMs, MAX_RETRY_DELAY_MS);
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

/**
 * The type of a value that a column holds and a `?` takes. Integers are exact up to 2^53: no driver returns
 * larger ones without loss or an error, so nothing larger is stored.
 */
export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * One connection to one SQLite file, which behaves alike on every JavaScript runtime's SQLite. All calls are
 * synchronous and throw the runtime's own errors (`errors.ts` gives them a code). Statements are prepared
 * once per text, so texts are constants and a SELECT names its columns: Bun 1.3 goes on with the old columns
 * of a `SELECT *` after another process's migration.
 */
export interface Driver {
  readonly name: "bun:sqlite" | "node:sqlite";
  /** Runs any number of statements, without binds or rows. */
  exec(sql: string): void;
  /**
   * Runs one write and returns the rows of its `RETURNING`, which show what changed: Bun 1.3's change count
   * includes the changes of triggers.
   */
  run(sql: string, ...binds: SqlValue[]): readonly SqlRow[];
  get(sql: string, ...binds: SqlValue[]): SqlRow | null;
  all(sql: string, ...binds: SqlValue[]): readonly SqlRow[];
  /**
   * Runs a `DELETE` for good, for data that a person has deleted or that belongs to a session that is gone.
   * After the surrounding transaction the deleted text is no longer in the file or its write-ahead log; while
   * another process reads an older state, this is retried later.
   */
  erase(sql: string, ...binds: SqlValue[]): readonly SqlRow[];
  /** Runs `body` so that all its reads see one state of the database, without a write lock. */
  read<T>(body: () => T): T;
  /**
   * Commits all writes of `body` or none. Takes the write lock at its start (`BEGIN IMMEDIATE`), so that
   * what `body` reads is still true when it commits; inside another transaction it is a savepoint.
   */
  transaction<T>(body: () => T): T;
  close(): void;
}

export type OpenDriver = (path: string) => Driver;

/** Lists what a runtime's SQLite must offer to become a `Driver`. */
interface Connection {
  readonly name: Driver["name"];
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Statement {
  get(...binds: SqlValue[]): SqlRow | null | undefined;
  all(...binds: SqlValue[]): readonly SqlRow[];
  finalize(): void;
}

export function createDriver(connection: Connection): Driver {
  const statements = new Map<string, Statement>();
  function prepareStatement(sql: string): Statement {
    const known = statements.get(sql);
    if (known) return known;
    const prepared = connection.prepare(sql);
    statements.set(sql, prepared);
    return prepared;
  }
  const exec = (sql: string) => connection.exec(sql);
  const get = (sql: string, ...binds: SqlValue[]) => prepareStatement(sql).get(...binds) ?? null;
  const all = (sql: string, ...binds: SqlValue[]) => prepareStatement(sql).all(...binds);
  const erasure = new SecureDeletion({ exec, get });
  const { read, transaction } = createTransactionScopes(exec);
  // SQLite overwrites deleted or shortened content in its page.
  exec("PRAGMA secure_delete = ON");
  return {
    name: connection.name,
    exec,
    run: all,
    get,
    all,
    read,
    erase: (sql, ...binds) => erasure.runAndEmptyWal("deletes", () => all(sql, ...binds)),
    transaction: (body) => erasure.runAndEmptyWal("may delete", () => transaction(body)),
    close() {
      erasure.close();
      for (const prepared of statements.values()) prepared.finalize();
      statements.clear();
      connection.close();
    },
  };
}

/** Builds `read` and `transaction` over a connection's `exec`. */
export function createTransactionScopes(
  exec: (sql: string) => void,
): Pick<Driver, "read" | "transaction"> {
  let depth = 0;
  function withScope<T>(begin: string, end: string, undo: string, body: () => T): T {
    exec(begin);
    depth += 1;
    try {
      const result = body();
      exec(end);
      return result;
    } catch (error) {
      rollBack(exec, undo);
      throw error;
    } finally {
      depth -= 1;
    }
  }
  return {
    read: (body) => (depth > 0 ? body() : withScope("BEGIN", "COMMIT", "ROLLBACK", body)),
    transaction(body) {
      if (depth === 0) return withScope("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", body);
      const name = `nested_${depth}`;
      const undo = `ROLLBACK TO ${name}; RELEASE ${name}`;
      return withScope(`SAVEPOINT ${name}`, `RELEASE ${name}`, undo, body);
    },
  };
}

/**
 * Rolls back. On a full disk and the like SQLite has already done so itself, and the first error is the one
 * to report.
 */
function rollBack(exec: (sql: string) => void, undo: string): void {
  try {
    exec(undo);
  } catch (error) {
    const nothingLeft = /no transaction is active|no such savepoint/.test(String(error));
    if (!nothingLeft) throw error;
  }
}
