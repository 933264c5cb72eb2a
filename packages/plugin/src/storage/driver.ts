// What a driver is: one connection to one SQLite file.

import { SecureDeletion } from "./erasure.ts";

/**
 * What a column holds and a `?` takes. Integers are exact up to 2^53: no driver hands out more than
 * that without loss or an error, so nothing larger is stored.
 */
export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * One connection to one SQLite file, alike over every SQLite that a JavaScript runtime has. All
 * calls are synchronous and throw the runtime's own errors (`errors.ts` gives them a code).
 * Statements are prepared once per text, so texts are constants and a SELECT names its columns:
 * Bun 1.3 goes on with the old columns of a `SELECT *` after another process's migration.
 */
export interface Driver {
  readonly name: "bun:sqlite" | "node:sqlite";
  /** Any number of statements, no binds, no rows. */
  exec(sql: string): void;
  /**
   * One write, with the rows that its `RETURNING` gives. What it changed is learned by them: of the
   * counts, Bun 1.3's has the changes of triggers in it.
   */
  run(sql: string, ...binds: SqlValue[]): readonly SqlRow[];
  get(sql: string, ...binds: SqlValue[]): SqlRow | null;
  all(sql: string, ...binds: SqlValue[]): readonly SqlRow[];
  /**
   * A `DELETE` for good: what a person has deleted, or a session that is gone. After the transaction around
   * it, the deleted words are in the file and its write-ahead log no more; while another process reads an
   * older state, that is tried again later.
   */
  erase(sql: string, ...binds: SqlValue[]): readonly SqlRow[];
  /** All reads of `body` see one state of the database; takes no write lock. */
  read<T>(body: () => T): T;
  /**
   * All writes of `body` or none. Takes the write lock at its begin (`BEGIN IMMEDIATE`), so that
   * what `body` reads is still true when it commits; inside another transaction it is a savepoint.
   */
  transaction<T>(body: () => T): T;
  close(): void;
}

export type OpenDriver = (path: string) => Driver;

/** What a runtime's SQLite must offer to become a `Driver`. */
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

export function driverOver(connection: Connection): Driver {
  const statements = new Map<string, Statement>();
  function statement(sql: string): Statement {
    const known = statements.get(sql);
    if (known) return known;
    const prepared = connection.prepare(sql);
    statements.set(sql, prepared);
    return prepared;
  }
  const exec = (sql: string) => connection.exec(sql);
  const get = (sql: string, ...binds: SqlValue[]) => statement(sql).get(...binds) ?? null;
  const all = (sql: string, ...binds: SqlValue[]) => statement(sql).all(...binds);
  const erasure = new SecureDeletion({ exec, get });
  const { read, transaction } = transactionScopes(exec);
  // What is deleted or shortened is overwritten in its page.
  exec("PRAGMA secure_delete = ON");
  return {
    name: connection.name,
    exec,
    run: all,
    get,
    all,
    read,
    erase: (sql, ...binds) => erasure.around("deletes", () => all(sql, ...binds)),
    transaction: (body) => erasure.around("may delete", () => transaction(body)),
    close() {
      erasure.close();
      for (const prepared of statements.values()) prepared.finalize();
      statements.clear();
      connection.close();
    },
  };
}

/** `read` and `transaction` over a connection's `exec`. */
export function transactionScopes(
  exec: (sql: string) => void,
): Pick<Driver, "read" | "transaction"> {
  let depth = 0;
  function scoped<T>(begin: string, end: string, undo: string, body: () => T): T {
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
    read: (body) => (depth > 0 ? body() : scoped("BEGIN", "COMMIT", "ROLLBACK", body)),
    transaction(body) {
      if (depth === 0) return scoped("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", body);
      const name = `nested_${depth}`;
      const undo = `ROLLBACK TO ${name}; RELEASE ${name}`;
      return scoped(`SAVEPOINT ${name}`, `RELEASE ${name}`, undo, body);
    },
  };
}

/** On a full disk and the like SQLite has rolled back by itself: the first error is the one to report. */
function rollBack(exec: (sql: string) => void, undo: string): void {
  try {
    exec(undo);
  } catch (error) {
    const nothingLeft = /no transaction is active|no such savepoint/.test(String(error));
    if (!nothingLeft) throw error;
  }
}
