// Finds, changes and removes a table's rows by filters of equal values.
import { type Columns, toSqlLiteral, toSqlName } from "./column.ts";
import type { Driver, SqlRow, SqlValue } from "./driver.ts";
import { StorageError } from "./errors.ts";

/** Selects rows in which each of these columns has its value, or one of a list; `{}` selects all rows. */
export type RowFilter<Row> = {
  readonly [Name in keyof Row as Row[Name] extends Scalar ? Name : never]?:
    | Row[Name]
    | readonly NonNullable<Row[Name]>[];
};

type Scalar = string | number | null;

/** Orders rows by `atMs`, or `atMs desc`. */
type Order<Row> = `${keyof Row & string}${"" | " desc"}`;

/** Selects some columns of a table. */
export interface Selection<Some> {
  /** The columns' SQL for a SELECT or RETURNING. */
  readonly columns: string;
  /** Reads a row. @throws StorageError `corrupt` that names table and key, never a value. */
  readonly read: (row: SqlRow) => Some;
}

/** Holds what statements need to know about a table. */
export interface TableCodec<Row> {
  readonly name: string;
  readonly key: Selection<unknown>;
  readonly keyColumns: readonly string[];
  readonly cells: Columns<Row>;
  /** Encodes a value. @throws StorageError `failed` for a value that could not be read back. */
  readonly encode: <Name extends keyof Row & string>(name: Name, value: Row[Name]) => SqlValue;
  /** Adds the checksum to a new row's cells if the table has one. */
  readonly seal: (cells: SqlRow) => SqlRow;
}

/** Holds the readable rows of a filter, and an error and the cells for each unreadable row. */
interface ReadableRows<Some> {
  readonly rows: readonly Some[];
  readonly damaged: readonly { readonly cells: SqlRow; readonly error: StorageError }[];
}

/** Reads rows of a table. */
export class RowQuery<Row, Some> {
  constructor(
    protected readonly driver: Driver,
    protected readonly table: TableCodec<Row>,
    private readonly selection: Selection<Some>,
  ) {}

  list(where: RowFilter<Row>, ...order: readonly Order<Row>[]): readonly Some[] {
    const { sql, binds } = this.#buildSelect(where, order);
    return this.driver.all(sql, ...binds).map(this.selection.read);
  }

  /** Lists the readable rows; a row that would make `list` throw does not affect the others. */
  listReadable(where: RowFilter<Row>, ...order: readonly Order<Row>[]): ReadableRows<Some> {
    const { sql, binds } = this.#buildSelect(where, order);
    const rows: Some[] = [];
    const damaged: ReadableRows<Some>["damaged"][number][] = [];
    for (const cells of this.driver.all(sql, ...binds)) {
      try {
        rows.push(this.selection.read(cells));
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        damaged.push({ cells, error });
      }
    }
    return { rows, damaged };
  }

  /**
   * Returns at most `count` rows. The number is written out, because with a bound limit SQLite plans the
   * statement at each call.
   */
  first(count: number, where: RowFilter<Row>, ...order: readonly Order<Row>[]): readonly Some[] {
    const { sql, binds } = this.#buildSelect(where, order);
    return this.driver.all(`${sql} LIMIT ${count}`, ...binds).map(this.selection.read);
  }

  find(where: RowFilter<Row>, ...order: readonly Order<Row>[]): Some | null {
    return this.first(1, where, ...order)[0] ?? null;
  }

  #buildSelect(where: RowFilter<Row>, order: readonly Order<Row>[]): Condition {
    const { sql, binds } = buildCondition(this.table.cells, where);
    const by = order.length === 0 ? "" : ` ORDER BY ${order.map(toSqlName).join(", ")}`;
    return { sql: `SELECT ${this.selection.columns} FROM ${this.table.name}${sql}${by}`, binds };
  }
}

/**
 * Reads and writes rows, one statement per call; a caller whose statements must take effect together opens a
 * transaction.
 */
export class Rows<Row, Key> extends RowQuery<Row, Row> {
  count(where: RowFilter<Row>): number {
    const { sql, binds } = buildCondition(this.table.cells, where);
    const row = this.driver.get(`SELECT count(*) AS rows FROM ${this.table.name}${sql}`, ...binds);
    return Number(row?.rows);
  }

  /** Inserts a row; columns that are not given take the schema's default. */
  insert(row: Partial<Row>): Key {
    return this.#insert(row, "")[0] as Key;
  }

  /** Inserts a row; returns null if it conflicts with an existing one. */
  insertNew(row: Partial<Row>): Key | null {
    return this.#insert(row, " ON CONFLICT DO NOTHING")[0] ?? null;
  }

  /** Inserts a row, or updates the one that has this key with the given values. */
  upsert(row: Partial<Row> & Key): void {
    const { key, keyColumns } = this.table;
    const others = this.#encodeGiven(row).columns.filter((column) => !keyColumns.includes(column));
    const sets = others.map((column) => `${column} = excluded.${column}`).join(", ");
    this.#insert(row, ` ON CONFLICT (${key.columns}) DO UPDATE SET ${sets}`);
  }

  /** Updates the matching rows. @returns their keys */
  update(where: RowFilter<Row>, values: Partial<Row>): readonly Key[] {
    const { columns, binds } = this.#encodeGiven(values);
    const sets = columns.map((column) => `${column} = ?`).join(", ");
    const { name, key, cells } = this.table;
    const rows = buildCondition(cells, where);
    const sql = `UPDATE ${name} SET ${sets}${rows.sql} RETURNING ${key.columns}`;
    return this.#readKeys(this.driver.run(sql, ...binds, ...rows.binds));
  }

  /** Deletes the matching rows. @returns how many there were */
  delete(where: RowFilter<Row>): number {
    const { sql, binds } = this.#buildDelete(where);
    return this.driver.run(sql, ...binds).length;
  }

  /** Deletes rows for good, as `Driver.erase` does. @returns how many there were */
  erase(where: RowFilter<Row>): number {
    const { sql, binds } = this.#buildDelete(where);
    return this.driver.erase(sql, ...binds).length;
  }

  #insert(row: Partial<Row>, onConflict: string): readonly Key[] {
    const { name, key, seal } = this.table;
    const given = this.#encodeGiven(row);
    const cells = seal(
      Object.fromEntries(given.columns.map((one, at) => [one, given.binds[at] ?? null])),
    );
    const columns = Object.keys(cells);
    const binds = Object.values(cells);
    const places = columns.map(() => "?").join(", ");
    const sql = `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})${onConflict}`;
    return this.#readKeys(this.driver.run(`${sql} RETURNING ${key.columns}`, ...binds));
  }

  #readKeys(rows: readonly SqlRow[]): readonly Key[] {
    return rows.map((row) => this.table.key.read(row) as Key);
  }

  #buildDelete(where: RowFilter<Row>): Condition {
    const { name, key, cells } = this.table;
    const { sql, binds } = buildCondition(cells, where);
    return { sql: `DELETE FROM ${name}${sql} RETURNING ${key.columns}`, binds };
  }

  #encodeGiven(row: Partial<Row>): {
    readonly columns: string[];
    readonly binds: readonly SqlValue[];
  } {
    const { cells, encode } = this.table;
    const names = (Object.keys(cells) as (keyof Row & string)[]).filter(
      (name) => row[name] !== undefined,
    );
    const binds = names.map((name) => encode(name, row[name] as Row[typeof name]));
    return { columns: names.map(toSqlName), binds };
  }
}

interface Condition {
  readonly sql: string;
  readonly binds: readonly SqlValue[];
}

/**
 * Builds a condition, whose text varies with the filter's columns only: statements are prepared once per
 * text.
 */
function buildCondition<Row>(cells: Columns<Row>, where: RowFilter<Row>): Condition {
  const equal = where as Readonly<Record<string, SqlValue | readonly SqlValue[]>>;
  const parts = Object.entries(equal).map(([name, value]) => {
    const column = toSqlName(name);
    if (value === null) return { sql: `${column} IS NULL`, binds: [] };
    const { choices } = cells[name as keyof Row & string];
    if (choices !== null)
      return { sql: `${column} ${renderInCondition(choices, value)}`, binds: [] };
    return Array.isArray(value)
      ? { sql: `${column} IN (SELECT value FROM json_each(?))`, binds: [JSON.stringify(value)] }
      : { sql: `${column} = ?`, binds: [value as SqlValue] };
  });
  if (parts.length === 0) return { sql: "", binds: [] };
  return {
    sql: ` WHERE ${parts.map(({ sql }) => sql).join(" AND ")}`,
    binds: parts.flatMap(({ binds }) => binds),
  };
}

/** Writes values that the code assigns as literals, so that SQLite recognises a matching partial index. */
function renderInCondition(
  choices: readonly SqlValue[],
  value: SqlValue | readonly SqlValue[],
): string {
  const wanted = [value].flat();
  const found = choices.filter((one) => wanted.includes(one)).map(toSqlLiteral);
  return found.length === 1 ? `= ${found}` : `IN (${found.join(", ")})`;
}
