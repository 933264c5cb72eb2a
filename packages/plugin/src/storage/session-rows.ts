// A session's rows as stored, for export and import.
import type { Driver, SqlRow, SqlValue } from "./driver.ts";
import type { SessionId } from "./records.ts";
import { StorageError } from "./store.ts";

/** A row of one session as it is stored, to be carried elsewhere and put in unchanged. */
export interface SessionRow {
  readonly table: string;
  readonly row: SqlRow;
}

/**
 * In the order in which rows must be put in, with how each is ordered in itself. Not the lease: it
 * belongs to a process, not to the session. `ledger` is epochs and entries in their one sequence.
 */
const ORDERED = [
  ["session", "id"],
  ["ledger", "seq"],
  ["turn", "seq"],
  ["session_input", "rank, id"],
  ["brief", "seq"],
  ["entry_form", "entry_seq, provider_id, model_id"],
] as const;

/** Kept by triggers, as epochs and entries come in. */
const DERIVED_COLUMNS: ReadonlySet<string> = new Set(["head_seq"]);

/** All rows of a session but its lease, of one state of the database; empty if it is not known. */
export function readSessionRows(driver: Driver, sessionId: SessionId): readonly SessionRow[] {
  return driver.read(() =>
    ORDERED.flatMap(([name, order]) => {
      if (name !== "ledger") return rowsOf(driver, name, order, sessionId);
      const ledger = [
        ...rowsOf(driver, "epoch", order, sessionId),
        ...rowsOf(driver, "entry", order, sessionId),
      ];
      return ledger.sort((left, right) => Number(left.row.seq) - Number(right.row.seq));
    }),
  );
}

function rowsOf(
  driver: Driver,
  table: string,
  order: string,
  sessionId: SessionId,
): readonly SessionRow[] {
  const columns = columnsOf(driver, table);
  // A table of a later version.
  if (columns.length === 0) return [];
  const owner = table === "session" ? "id" : "session_id";
  const sql = `SELECT ${columns.join(", ")} FROM ${table} WHERE ${owner} = ? ORDER BY ${order}`;
  return driver.all(sql, sessionId).map((row) => ({ table, row: { ...row } }));
}

/**
 * Puts a session's row in, as it is; the schema's own checks decide whether it may be there.
 * @throws StorageError `failed` for what is no row of this session, or may not be there.
 */
export function insertSessionRow(
  driver: Driver,
  sessionId: SessionId,
  { table, row }: SessionRow,
): void {
  const columns = tables.has(table) ? columnsOf(driver, table) : [];
  const given = Object.keys(row);
  const fits = columns.length === given.length && columns.every((name) => Object.hasOwn(row, name));
  if (columns.length === 0 || !fits) {
    throw new StorageError("failed", `A row of "${table}" doesn't have this schema's columns.`);
  }
  if ((table === "session" ? row.id : row.session_id) !== sessionId) {
    throw new StorageError("failed", `A row of "${table}" is not of the session ${sessionId}.`);
  }
  const values = columns.map((name): SqlValue => row[name] ?? null);
  const places = columns.map(() => "?").join(", ");
  driver.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...values);
}

const tables: ReadonlySet<string> = new Set([...ORDERED.map(([name]) => name), "epoch", "entry"]);

function columnsOf(driver: Driver, table: string): readonly string[] {
  return driver
    .all("SELECT name FROM pragma_table_info(?) ORDER BY cid", table)
    .map(({ name }) => String(name))
    .filter((name) => !DERIVED_COLUMNS.has(name));
}
