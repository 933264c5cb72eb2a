// The driver over bun:sqlite.
import { Database } from "bun:sqlite";
import { createDriver, type Driver, type SqlRow, type SqlValue } from "./driver.ts";

export function openBunDriver(path: string): Driver {
  return wrapDatabase(new Database(path, { create: true }));
}

/** Opens a connection that refuses every write. */
export function openBunReader(path: string): Driver {
  return wrapDatabase(new Database(path, { readonly: true }));
}

function wrapDatabase(database: Database): Driver {
  return createDriver({
    name: "bun:sqlite",
    exec: (sql) => void database.run(sql),
    prepare: (sql) => database.prepare<SqlRow, SqlValue[]>(sql),
    close: () => database.close(),
  });
}
