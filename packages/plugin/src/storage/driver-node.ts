// The driver over node:sqlite.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { createDriver, type Driver, type SqlRow, type Statement } from "./driver.ts";

export function openNodeDriver(path: string): Driver {
  return wrapDatabase(new DatabaseSync(path));
}

/** Opens a connection that refuses every write. */
export function openNodeReader(path: string): Driver {
  return wrapDatabase(new DatabaseSync(path, { readOnly: true }));
}

function wrapDatabase(database: DatabaseSync): Driver {
  return createDriver({
    name: "node:sqlite",
    exec: (sql) => database.exec(sql),
    prepare: (sql) => wrapStatement(database.prepare(sql)),
    close: () => database.close(),
  });
}

function wrapStatement(statement: StatementSync): Statement {
  return {
    get: (...binds) => statement.get(...binds) as SqlRow | undefined,
    all: (...binds) => statement.all(...binds) as SqlRow[],
    // Closing the database finalizes its statements; they can't be finalized one by one.
    finalize: () => undefined,
  };
}
