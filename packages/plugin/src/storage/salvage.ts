// Copies rows that the user would miss from a development version's database into the new schema.
import type { Driver, SqlRow } from "./driver.ts";
import { StorageError } from "./errors.ts";
import type { Schema } from "./schema.ts";
import type { SalvagedTable } from "./schema-module.ts";
import { listColumns } from "./session-rows.ts";

interface SalvagedRows {
  readonly table: SalvagedTable;
  readonly rows: readonly SqlRow[];
}

interface Salvaged {
  /** The sessions that these rows belong to. */
  readonly sessions: readonly SqlRow[];
  readonly tables: readonly SalvagedRows[];
}

/** Reads from a database of any development version, and skips tables or columns that it lacks. */
export function readSalvaged(driver: Driver, { salvages }: Schema): Salvaged {
  const tables = salvages
    .flatMap((salvage) => salvage.tables)
    .map((table) => ({ table, rows: readRows(driver, table) }));
  const ids = new Set(
    tables.flatMap(({ table, rows }) =>
      table.table.rules.sessionColumn === null ? [] : rows.map((row) => row.session_id ?? null),
    ),
  );
  const named = listColumns(driver, "session").filter((one) => SESSION_COLUMNS.includes(one));
  const sessions = driver
    .all(`SELECT ${named.join(", ")} FROM session`)
    .filter((row) => ids.has(row.id ?? null));
  return { sessions, tables };
}

/** Leaves out `head_seq`, as no epoch is copied. */
const SESSION_COLUMNS = ["id", "created_at_ms", "harness"];

function readRows(driver: Driver, { table, where }: SalvagedTable): readonly SqlRow[] {
  const wanted = new Set(table.columns.split(", "));
  const columns = listColumns(driver, table.name).filter((column) => wanted.has(column));
  if (columns.length === 0) return [];
  return driver.all(`SELECT ${columns.join(", ")} FROM ${table.name} WHERE ${where}`);
}

/** Inserts the rows into an empty database, in the caller's transaction and with foreign keys unchecked. */
export function insertSalvaged(
  driver: Driver,
  { sessions, tables }: Salvaged,
): { readonly kept: readonly string[]; readonly left: number } {
  for (const row of sessions) insert(driver, "session", row, "id");
  const kept: string[] = [];
  let left = 0;
  for (const { table, rows } of tables) {
    // Rows that the schema's set-up inserted are replaced.
    if (rows.length > 0 && table.isSetUp) driver.run(`DELETE FROM ${table.table.name}`);
    const count = rows.filter((row) => isPutIn(driver, table, row)).length;
    left += rows.length - count;
    if (count > 0 && table.noun !== null) kept.push(`${count} ${table.noun[count === 1 ? 0 : 1]}`);
  }
  return { kept, left: left + deleteOrphans(driver) };
}

function isPutIn(driver: Driver, { table }: SalvagedTable, row: SqlRow): boolean {
  try {
    return driver.transaction(() => {
      const [stored] = insert(driver, table.name, row, table.columns);
      if (stored !== undefined) table.read(stored);
      return stored !== undefined;
    });
  } catch (error) {
    // The store could not decode the row; SQLite's own errors have a cause.
    if (error instanceof StorageError && error.code === "corrupt" && error.cause === undefined) {
      return false;
    }
    throw error;
  }
}

/** Inserts a row. @returns no row where a constraint of the schema rejects it */
function insert(driver: Driver, name: string, row: SqlRow, returning: string): readonly SqlRow[] {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  const sql = `INSERT OR IGNORE INTO ${name} (${columns.join(", ")}) VALUES (${places})`;
  return driver.run(`${sql} RETURNING ${returning}`, ...Object.values(row));
}

/** Deletes rows whose parent was not inserted. @returns how many there were */
function deleteOrphans(driver: Driver): number {
  const orphans = driver.all(
    'SELECT DISTINCT "table" AS name, rowid AS id FROM pragma_foreign_key_check',
  );
  for (const { name, id } of orphans) driver.run(`DELETE FROM ${name} WHERE rowid = ?`, id ?? null);
  return orphans.length === 0 ? 0 : orphans.length + deleteOrphans(driver);
}
