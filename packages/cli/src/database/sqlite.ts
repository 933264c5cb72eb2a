// Whether this JavaScript runtime has SQLite.
import { isBuiltin } from "node:module";

/** Whether the runtime that we are in has SQLite: Bun, and Node from 22.13 on. */
export function hasSqlite(): boolean {
  // Asked by name, as loading it is what makes Node 22 warn.
  return process.versions.bun !== undefined || isBuiltin("node:sqlite");
}

/** Node 22 and 23 warn that their SQLite is experimental; nobody who asks for a status needs to know. */
export function quietSqliteWarning(): void {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes("SQLite is an experimental feature")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
}
