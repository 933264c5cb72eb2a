// Says whether this JavaScript runtime has SQLite.
import { isBuiltin } from "node:module";

/** Says whether the current runtime has SQLite, as Bun does, and Node from 22.13 on. */
export function hasSqlite(): boolean {
  // SQLite is looked up by name, because loading it is what makes Node 22 warn.
  return process.versions.bun !== undefined || isBuiltin("node:sqlite");
}

/** Hides the warning of Node 22 and 23 that their SQLite is experimental, which does not concern users. */
export function quietSqliteWarning(): void {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes("SQLite is an experimental feature")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
}
