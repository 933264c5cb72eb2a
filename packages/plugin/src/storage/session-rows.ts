// A session's rows as stored: for export and import, their size, and `prune`.
import type { Driver, SqlRow, SqlValue } from "./driver.ts";
import { StorageError } from "./errors.ts";
import type { SessionId } from "./records.ts";
import type { Schema } from "./schema.ts";
import type { AnyTable, ExportRule } from "./table.ts";

/** Holds a row of one session as it is stored, to be exported and inserted unchanged. */
export interface SessionRow {
  readonly table: string;
  readonly row: SqlRow;
}

/** A table whose rows an export of a session includes. */
interface ExportedTable {
  readonly name: string;
  readonly sessionColumn: string;
  readonly order: Extract<ExportRule, { readonly kind: "in order" }>;
}

function listExportedTables({ tables }: Schema): readonly ExportedTable[] {
  return tables.flatMap(({ name, rules }) => {
    const { sessionColumn, exported: order } = rules;
    return sessionColumn === null || order.kind === "never" ? [] : [{ name, sessionColumn, order }];
  });
}

/** Returns a session's exported rows from one state of the database; empty for an unknown session. */
export function readSessionRows(
  driver: Driver,
  schema: Schema,
  sessionId: SessionId,
): readonly SessionRow[] {
  const exported = listExportedTables(schema);
  return driver.read(() => {
    const rows = exported.flatMap((table) =>
      readRows(driver, table, sessionId).map((row) => ({
        ...row,
        place: findExportPosition(table, exported),
      })),
    );
    rows.sort((left, right) => left.place - right.place || left.rank - right.rank);
    return rows.map(({ table, row }) => ({ table, row }));
  });
}

interface RankedRow extends SessionRow {
  /** The row's rank in its table's sequence; 0 if the table belongs to no sequence. */
  readonly rank: number;
}

function readRows(driver: Driver, table: ExportedTable, sessionId: SessionId): RankedRow[] {
  const { name, sessionColumn, order } = table;
  const columns = listColumns(driver, name, order.derived);
  // The table belongs to a later version.
  if (columns.length === 0) return [];
  const sql = `SELECT ${columns.join(", ")} FROM ${name} WHERE ${sessionColumn} = ? ORDER BY ${order.by}`;
  const { sequence } = order;
  return driver.all(sql, sessionId).map((row) => {
    const rank = sequence === undefined ? 0 : Number(row[sequence]);
    return { table: name, row: { ...row }, rank };
  });
}

/** Returns a table's position in the export; tables that share a sequence share their position too. */
function findExportPosition(table: ExportedTable, exported: readonly ExportedTable[]): number {
  const { sequence } = table.order;
  return exported.findIndex((other) =>
    sequence === undefined ? other === table : other.order.sequence === sequence,
  );
}

/**
 * Inserts a session's row unchanged; the schema's own checks decide whether it is allowed.
 * @throws StorageError `failed` for what is not a row of this session, or is not allowed.
 */
export function insertSessionRow(
  driver: Driver,
  schema: Schema,
  sessionId: SessionId,
  { table: name, row }: SessionRow,
): void {
  const table = listExportedTables(schema).find((one) => one.name === name);
  const columns = table ? listColumns(driver, name, table?.order.derived) : [];
  const given = Object.keys(row);
  const fits = columns.length === given.length && columns.every((one) => Object.hasOwn(row, one));
  if (!table || !fits) {
    throw new StorageError("failed", `A row of "${name}" doesn't have this schema's columns.`);
  }
  if (row[table.sessionColumn] !== sessionId) {
    throw new StorageError("failed", `A row of "${name}" is not of the session ${sessionId}.`);
  }
  const { parent } = table.order;
  if (parent) driver.run(parent.sql, row[parent.column] ?? null);
  const values = columns.map((one): SqlValue => row[one] ?? null);
  const places = columns.map(() => "?").join(", ");
  driver.run(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})`, ...values);
}

/** Lists the columns that the table has in this database, whose schema may have another version. */
export function listColumns(
  driver: Driver,
  name: string,
  derived: readonly string[] = [],
): readonly string[] {
  return driver
    .all("SELECT name FROM pragma_table_info(?) ORDER BY cid", name)
    .map((column) => String(column.name))
    .filter((column) => !derived.includes(column));
}

/**
 * Reads every row of a session as its store would.
 * @throws StorageError `corrupt` for a row that its store could not read.
 */
export function checkSessionRows(driver: Driver, { tables }: Schema, sessionId: SessionId): void {
  for (const { name, columns, read, rules } of tables) {
    if (rules.sessionColumn === null) continue;
    const sql = `SELECT ${columns} FROM ${name} WHERE ${rules.sessionColumn} = ?`;
    for (const row of driver.all(sql, sessionId)) read(row);
  }
}

/** Returns the time of the session's newest call or prompt; 0 if it has none. */
export function readNewestActivityMs(
  driver: Driver,
  { tables }: Schema,
  sessionId: SessionId,
): number {
  return Math.max(0, ...tables.map((table) => readNewestInTable(driver, table, sessionId)));
}

function readNewestInTable(
  driver: Driver,
  { name, rules }: AnyTable,
  sessionId: SessionId,
): number {
  const { activityColumn, sessionColumn } = rules;
  if (activityColumn === null || sessionColumn === null) return 0;
  const sql = `SELECT max(${activityColumn}) AS newest FROM ${name} WHERE ${sessionColumn} = ?`;
  return Number(driver.get(sql, sessionId)?.newest);
}

/** Estimates the bytes that a row's other columns and its index entries take. */
const ROW_OVERHEAD_BYTES = 200;

/** Estimates how many bytes each session takes in the file. */
export function estimateSessionSizes(
  driver: Driver,
  { tables }: Schema,
): ReadonlyMap<SessionId, number> {
  const sizes = new Map<SessionId, number>();
  for (const { name, longColumns, rules } of tables) {
    const { sessionColumn: owner } = rules;
    if (owner === null) continue;
    const texts = longColumns.map((column) => `coalesce(length(CAST(${column} AS BLOB)), 0)`);
    const sum = `sum(${[ROW_OVERHEAD_BYTES, ...texts].join(" + ")})`;
    const sql = `SELECT ${owner} AS id, ${sum} AS bytes FROM ${name} WHERE ${owner} IS NOT NULL GROUP BY ${owner}`;
    for (const row of driver.all(sql)) {
      const id = String(row.id) as SessionId;
      sizes.set(id, (sizes.get(id) ?? 0) + Number(row.bytes));
    }
  }
  return sizes;
}
