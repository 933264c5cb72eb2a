// Replaces a database of a development version: its content is copied aside, and what the user would miss
// comes into the new schema.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { Driver, OpenDriver, SqlRow } from "./driver.ts";
import { StorageError } from "./errors.ts";
import { FILE_MODE } from "./files.ts";
import { createSchema, isDevelopmentSchema, readSchemaVersion } from "./migrations.ts";
import type { Schema } from "./schema.ts";
import type { SalvagedTable } from "./schema-module.ts";
import { listColumns } from "./session-rows.ts";

// Copies rows that the user would miss from a development version's database into the new schema.

interface SalvagedRows {
  readonly table: SalvagedTable;
  readonly rows: readonly SqlRow[];
}

interface SalvagedData {
  /** The sessions that these rows belong to. */
  readonly sessions: readonly SqlRow[];
  readonly tables: readonly SalvagedRows[];
}

/** Reads from a database of any development version, and skips tables or columns that it lacks. */
function readSalvagedData(driver: Driver, { salvages }: Schema): SalvagedData {
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
function insertSalvagedData(
  driver: Driver,
  { sessions, tables }: SalvagedData,
): { readonly kept: readonly string[]; readonly left: number } {
  for (const row of sessions) insertRow(driver, "session", row, "id");
  const kept: string[] = [];
  let left = 0;
  for (const { table, rows } of tables) {
    // Rows that the schema's set-up inserted are replaced.
    if (rows.length > 0 && table.isSetUp) driver.run(`DELETE FROM ${table.table.name}`);
    const count = rows.filter((row) => tryInsert(driver, table, row)).length;
    left += rows.length - count;
    if (count > 0 && table.noun !== null) kept.push(`${count} ${table.noun[count === 1 ? 0 : 1]}`);
  }
  return { kept, left: left + deleteOrphans(driver) };
}

function tryInsert(driver: Driver, { table }: SalvagedTable, row: SqlRow): boolean {
  try {
    return driver.transaction(() => {
      const [stored] = insertRow(driver, table.name, row, table.columns);
      if (stored !== undefined) table.read(stored);
      return stored !== undefined;
    });
  } catch (error) {
    // An error without a cause means that the store could not decode the row; SQLite's own errors have one.
    if (error instanceof StorageError && error.code === "corrupt" && error.cause === undefined) {
      return false;
    }
    throw error;
  }
}

/** Inserts a row. @returns no row if a constraint of the schema rejects the new one */
function insertRow(
  driver: Driver,
  name: string,
  row: SqlRow,
  returning: string,
): readonly SqlRow[] {
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

interface ReplacementInput {
  /** The connection waits for locks, and has no open transaction. */
  readonly driver: Driver;
  readonly path: string;
  readonly schema: Schema;
  readonly openDriver: OpenDriver;
  readonly nowMs: number;
}

/** Describes a development version's database that has been replaced. */
export interface DevelopmentReplacement {
  /** The path of the complete copy. */
  readonly aside: string;
  /** The replaced database's schema version. */
  readonly version: number;
  /** The file that holds the salvaged content as Markdown; null if there was nothing to salvage. */
  readonly markdown: string | null;
  /** Counts what was salvaged in words, such as "3 notes". */
  readonly kept: readonly string[];
  /** Counts rows that don't fit the new schema and remain only in the copy. */
  readonly left: number;
}

/**
 * Replaces a development version's database. Everything happens under one write lock, in one transaction: of
 * processes that race, one does it, and a process that dies leaves the database as it was. The copy and the
 * Markdown are on the disk, under their final names, before the transaction commits.
 * @returns null if the database is not a development version's, or if another process was first
 */
export function replaceDevelopmentDatabase(
  replacing: ReplacementInput,
): DevelopmentReplacement | null {
  const { driver, path } = replacing;
  if (!isDevelopmentSchema(readSchemaVersion(driver))) return null;
  // Dropping a table must not delete the rows that refer to it: all of them are dropped anyway.
  driver.exec("PRAGMA foreign_keys = OFF");
  const drafts = { copy: `${path}.moving`, markdown: `${path}.moving.md` };
  return driver.transaction(() => {
    const version = readSchemaVersion(driver);
    if (!isDevelopmentSchema(version)) return null;
    try {
      return replaceUnderLock(replacing, version, drafts);
    } finally {
      // Drafts left over from this or an earlier attempt go; under the lock no other process writes any.
      for (const file of Object.values(drafts)) rmSync(file, { force: true });
    }
  });
}

function replaceUnderLock(
  { driver, path, schema, openDriver, nowMs }: ReplacementInput,
  version: number,
  drafts: { readonly copy: string; readonly markdown: string },
): DevelopmentReplacement {
  copyDatabase(openDriver, path, drafts.copy);
  const salvaged = readSalvagedData(driver, schema);
  dropAllTables(driver);
  createSchema(driver, schema);
  const { kept, left } = insertSalvagedData(driver, salvaged);
  const text = schema.salvages
    .map(({ toMarkdown }) => toMarkdown(driver))
    .filter((one) => one !== "")
    .join("\n");
  const aside = `${path}.development-${version}-${new Date(nowMs).toISOString().replace(/[-:.]/g, "")}`;
  const markdown = text === "" ? null : `${aside}.md`;
  if (markdown !== null) {
    writeFileSync(drafts.markdown, text, { mode: FILE_MODE });
    flushToDisk(drafts.markdown);
    renameSync(drafts.markdown, markdown);
  }
  renameSync(drafts.copy, aside);
  return { aside, version, markdown, kept, left };
}

/**
 * Makes a complete and consistent copy, including what is only in the WAL. It uses another connection,
 * because SQLite can't copy within a transaction; this connection's write lock prevents changes in the
 * meantime.
 */
function copyDatabase(openDriver: OpenDriver, path: string, target: string): void {
  rmSync(target, { force: true });
  const reader = openDriver(path);
  try {
    reader.run("VACUUM INTO ?", target);
  } finally {
    reader.close();
  }
  chmodSync(target, FILE_MODE);
  flushToDisk(target);
}

function flushToDisk(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function dropAllTables(driver: Driver): void {
  const tables = driver.all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  for (const { name } of tables) driver.exec(`DROP TABLE "${name}"`);
}
