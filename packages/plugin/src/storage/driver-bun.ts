import { Database } from "bun:sqlite";
import { type Driver, driverOver, type SqlRow, type SqlValue } from "./driver.ts";

export function openBunDriver(path: string): Driver {
  const database = new Database(path, { create: true, readwrite: true });
  return driverOver({
    name: "bun:sqlite",
    exec: (sql) => void database.run(sql),
    prepare: (sql) => database.prepare<SqlRow, SqlValue[]>(sql),
    close: () => database.close(),
  });
}
