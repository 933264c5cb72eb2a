import { Database } from "bun:sqlite";
import { afterAll, spyOn } from "bun:test";

/** What one write went to: a transaction of several tables is one. */
export type Write = string;

const WRITE = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)/;

/** Listens to every statement that SQLite is given in this test file. */
export class StatementWatch {
  #heard: string[] = [];

  constructor() {
    const hear = (sql: string) => void this.#heard.push(sql);
    const spies = [watchRun(hear), watchPrepare(hear)];
    afterAll(() => {
      for (const spy of spies) spy.mockRestore();
    });
  }

  /** All statements since the last time. */
  take(): readonly string[] {
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }

  /** Whether something was written to the table since then. */
  hasWritten(table: string): boolean {
    return writesIn(this.#heard).some((write) => write.split(" ").includes(table));
  }
}

/** The transactions that write, in order; a statement by itself is one. */
export function writesIn(statements: readonly string[]): readonly Write[] {
  const writes: Write[] = [];
  let open: string[] | null = null;
  for (const sql of statements) {
    const table = WRITE.exec(sql)?.[1];
    if (sql === "BEGIN IMMEDIATE") open = [];
    else if (sql === "COMMIT" && open) {
      writes.push([...new Set(open)].join(" "));
      open = null;
    } else if (table) {
      if (open) open.push(table);
      else writes.push(table);
    }
  }
  return writes;
}

function watchRun(hear: (sql: string) => void) {
  const run = Database.prototype.run;
  return spyOn(Database.prototype, "run").mockImplementation(function (this: Database, ...given) {
    hear(given[0]);
    return run.apply(this, given);
  });
}

function watchPrepare(hear: (sql: string) => void) {
  const prepare: (this: Database, sql: string) => object = Database.prototype.prepare;
  function heard(this: Database, sql: string) {
    return new Proxy(prepare.call(this, sql), {
      get(statement, name) {
        const value: unknown = Reflect.get(statement, name);
        if (typeof value !== "function") return value;
        return (...binds: unknown[]) => {
          if (name !== "finalize") hear(sql);
          return Reflect.apply(value, statement, binds);
        };
      },
    });
  }
  const watched = spyOn(Database.prototype, "prepare");
  return watched.mockImplementation(heard as typeof Database.prototype.prepare);
}
