/** Whether the runtime that we are in has SQLite: Bun, and Node from 22.13 on. */
export function hasSqlite(): boolean {
  if (process.versions.bun !== undefined) return true;
  // Absent in Node 20 before 20.16, which has no SQLite either.
  return process.getBuiltinModule?.("node:sqlite") !== undefined;
}

/** Node 22 and 23 warn that their SQLite is experimental; nobody who asks for a status needs to know. */
export function quietSqliteWarning(): void {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes("SQLite is an experimental feature")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
}
