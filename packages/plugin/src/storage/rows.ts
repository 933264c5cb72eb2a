// A table's rows over one connection: what a filter of equal values finds, changes and removes.
import { type Columns, sqlLiteral, sqlName } from "./column.ts";
import type { Driver, SqlRow, SqlValue } from "./driver.ts";
import { StorageError } from "./errors.ts";

/** Rows in which each of these columns has its value, or one of a list; `{}`: all rows. */
export type RowFilter<Row> = {
  readonly [Name in keyof Row as Row[Name] extends Scalar ? Name : never]?:
    | Row[Name]
    | readonly NonNullable<Row[Name]>[];
};

type Scalar = string | number | null;

/** `atMs`, or `atMs desc`. */
type Order<Row> = `${keyof Row & string}${"" | " desc"}`;

/** Some columns of a table. */
export interface Selection<Some> {
  /** For a SELECT or RETURNING. */
  readonly columns: string;
  /** @throws StorageError `corrupt` that names table and key, never a value. */
  readonly read: (row: SqlRow) => Some;
}

/** What statements need to know of a table. */
export interface Cells<Row> {
  readonly name: string;
  readonly key: Selection<unknown>;
  readonly keyColumns: readonly string[];
  readonly cells: Columns<Row>;
  /** @throws StorageError `failed` for a value that could not be read back. */
  readonly encode: <Name extends keyof Row & string>(name: Name, value: Row[Name]) => SqlValue;
  /** A new row's cells with their checksum, where the table has one. */
  readonly seal: (cells: SqlRow) => SqlRow;
}

/** The rows of a filter that can be read, and why the others can't, each with its cells. */
interface ReadableRows<Some> {
  readonly rows: readonly Some[];
  readonly damaged: readonly { readonly cells: SqlRow; readonly error: StorageError }[];
}

/** What is read of a table's rows. */
export class RowQuery<Row, Some> {
  constructor(
    protected readonly driver: Driver,
    protected readonly table: Cells<Row>,
    private readonly selection: Selection<Some>,
  ) {}

  list(where: RowFilter<Row>, ...order: readonly Order<Row>[]): readonly Some[] {
    const { sql, binds } = this.#select(where, order);
    return this.driver.all(sql, ...binds).map(this.selection.read);
  }

  /** What `list` would throw for one row costs no other one here. */
  sound(where: RowFilter<Row>, ...order: readonly Order<Row>[]): ReadableRows<Some> {
    const { sql, binds } = this.#select(where, order);
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
   * At most so many. The number is written out: with a bound limit SQLite plans the statement at each call.
   */
  first(count: number, where: RowFilter<Row>, ...order: readonly Order<Row>[]): readonly Some[] {
    const { sql, binds } = this.#select(where, order);
    return this.driver.all(`${sql} LIMIT ${count}`, ...binds).map(this.selection.read);
  }

  find(where: RowFilter<Row>, ...order: readonly Order<Row>[]): Some | null {
    return this.first(1, where, ...order)[0] ?? null;
  }

  #select(where: RowFilter<Row>, order: readonly Order<Row>[]): Condition {
    const { sql, binds } = condition(this.table.cells, where);
    const by = order.length === 0 ? "" : ` ORDER BY ${order.map(sqlName).join(", ")}`;
    return { sql: `SELECT ${this.selection.columns} FROM ${this.table.name}${sql}${by}`, binds };
  }
}

/** Each call is one statement; what must be one with others stands in its caller's transaction. */
export class Rows<Row, Key> extends RowQuery<Row, Row> {
  count(where: RowFilter<Row>): number {
    const { sql, binds } = condition(this.table.cells, where);
    const row = this.driver.get(`SELECT count(*) AS rows FROM ${this.table.name}${sql}`, ...binds);
    return Number(row?.rows);
  }

  /** What is not given is the schema's default. */
  insert(row: Partial<Row>): Key {
    return this.#insert(row, "")[0] as Key;
  }

  /** Null where the schema lets it stand beside none that is there. */
  insertNew(row: Partial<Row>): Key | null {
    return this.#insert(row, " ON CONFLICT DO NOTHING")[0] ?? null;
  }

  /** One that has this key already takes what is given. */
  upsert(row: Partial<Row> & Key): void {
    const { key, keyColumns } = this.table;
    const others = this.#given(row).columns.filter((column) => !keyColumns.includes(column));
    const sets = others.map((column) => `${column} = excluded.${column}`).join(", ");
    this.#insert(row, ` ON CONFLICT (${key.columns}) DO UPDATE SET ${sets}`);
  }

  /** @returns the keys of those that there were */
  update(where: RowFilter<Row>, values: Partial<Row>): readonly Key[] {
    const { columns, binds } = this.#given(values);
    const sets = columns.map((column) => `${column} = ?`).join(", ");
    const { name, key, cells } = this.table;
    const rows = condition(cells, where);
    const sql = `UPDATE ${name} SET ${sets}${rows.sql} RETURNING ${key.columns}`;
    return this.#keys(this.driver.run(sql, ...binds, ...rows.binds));
  }

  /** @returns how many there were */
  delete(where: RowFilter<Row>): number {
    const { sql, binds } = this.#deletion(where);
    return this.driver.run(sql, ...binds).length;
  }

  /** As `Driver.erase`. @returns how many there were */
  erase(where: RowFilter<Row>): number {
    const { sql, binds } = this.#deletion(where);
    return this.driver.erase(sql, ...binds).length;
  }

  #insert(row: Partial<Row>, onConflict: string): readonly Key[] {
    const { name, key, seal } = this.table;
    const given = this.#given(row);
    const cells = seal(
      Object.fromEntries(given.columns.map((one, at) => [one, given.binds[at] ?? null])),
    );
    const columns = Object.keys(cells);
    const binds = Object.values(cells);
    const places = columns.map(() => "?").join(", ");
    const sql = `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${places})${onConflict}`;
    return this.#keys(this.driver.run(`${sql} RETURNING ${key.columns}`, ...binds));
  }

  #keys(rows: readonly SqlRow[]): readonly Key[] {
    return rows.map((row) => this.table.key.read(row) as Key);
  }

  #deletion(where: RowFilter<Row>): Condition {
    const { name, key, cells } = this.table;
    const { sql, binds } = condition(cells, where);
    return { sql: `DELETE FROM ${name}${sql} RETURNING ${key.columns}`, binds };
  }

  #given(row: Partial<Row>): { readonly columns: string[]; readonly binds: readonly SqlValue[] } {
    const { cells, encode } = this.table;
    const names = (Object.keys(cells) as (keyof Row & string)[]).filter(
      (name) => row[name] !== undefined,
    );
    const binds = names.map((name) => encode(name, row[name] as Row[typeof name]));
    return { columns: names.map(sqlName), binds };
  }
}

interface Condition {
  readonly sql: string;
  readonly binds: readonly SqlValue[];
}

/** As few texts as a table has filters: statements are prepared once per text. */
function condition<Row>(cells: Columns<Row>, where: RowFilter<Row>): Condition {
  const equal = where as Readonly<Record<string, SqlValue | readonly SqlValue[]>>;
  const parts = Object.entries(equal).map(([name, value]) => {
    const column = sqlName(name);
    if (value === null) return { sql: `${column} IS NULL`, binds: [] };
    const { choices } = cells[name as keyof Row & string];
    if (choices !== null) return { sql: `${column} ${among(choices, value)}`, binds: [] };
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

/** Words of the code, written out: so SQLite sees that an index of some rows has them. */
function among(choices: readonly SqlValue[], value: SqlValue | readonly SqlValue[]): string {
  const wanted = [value].flat();
  const found = choices.filter((one) => wanted.includes(one)).map(sqlLiteral);
  return found.length === 1 ? `= ${found}` : `IN (${found.join(", ")})`;
}
