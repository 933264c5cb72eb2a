// A table's single declaration: its columns, its key, the rules for its rows, and the SQL that makes it.
import { hashText } from "../context/canonical.ts";
import { type Columns, DecodeError, toSqlName } from "./column.ts";
import type { Driver, SqlRow } from "./driver.ts";
import { StorageError } from "./errors.ts";
import { RowQuery, Rows, type Selection, type TableCodec } from "./rows.ts";

// The SQL that makes a table, from its declaration.

/** Declares what the schema says of a table besides its columns' types. */
interface TableDeclaration<Name extends string> {
  /** Adds SQL to a column: its default, what it refers to, further checks. */
  readonly columns?: Readonly<Partial<Record<Name, string>>>;
  readonly constraints?: readonly string[];
  /** `by key` stores rows in the order of the key, as WITHOUT ROWID does. */
  readonly layout?: "by key";
  /** Statements that make the table's indexes and triggers. */
  readonly extras?: string;
}

interface TableSql {
  readonly create: string;
  /** Statements that run when all tables exist. */
  readonly extras: string;
}

interface TableShape<Row> {
  readonly name: string;
  readonly columns: Columns<Row>;
  readonly key: readonly string[];
  readonly sessionColumn: "session_id" | "id" | null;
  /** Names the table's checksum column, which is not one of `columns`; null if there is none. */
  readonly checksum: string | null;
  readonly declaration: TableDeclaration<keyof Row & string>;
}

/** Builds a trigger that refuses updates; `rows` names the rows in its message. */
export const buildImmutableTrigger = (name: string, rows: string): string => `
CREATE TRIGGER ${name}_is_never_updated BEFORE UPDATE ON ${name} BEGIN
  SELECT RAISE(ABORT, '${rows} are never updated');
END;`;

const SESSION_REFERENCE = "REFERENCES session (id) ON DELETE CASCADE";

function buildTableSql<Row>(shape: TableShape<Row>): TableSql {
  const { name, columns, key, checksum, declaration } = shape;
  const { constraints = [], layout, extras = "" } = declaration;
  const names = Object.keys(columns) as (keyof Row & string)[];
  const lines = [
    ...names.map((column) => buildColumnSql(shape, column)),
    ...(checksum === null ? [] : [`${checksum} TEXT`]),
    ...(names.some((column) => declaration.columns?.[column]?.includes("PRIMARY KEY"))
      ? []
      : [`PRIMARY KEY (${key.join(", ")})`]),
    ...constraints,
  ];
  const table = layout === "by key" ? "STRICT, WITHOUT ROWID" : "STRICT";
  return {
    create: `CREATE TABLE ${name} (\n${lines.map((line) => `  ${line}`).join(",\n")}\n) ${table};`,
    extras: extras.trim(),
  };
}

function buildColumnSql<Row>(
  { columns, sessionColumn, declaration }: TableShape<Row>,
  name: keyof Row & string,
): string {
  const column = toSqlName(name);
  const { type, nulls, check } = columns[name].sql;
  // Rows that refer to another table's rows are deleted with the session through that reference.
  const isReference =
    column === "session_id" &&
    sessionColumn === "session_id" &&
    !declaration.constraints?.some((one) => one.startsWith("FOREIGN KEY (session_id"));
  const words = [
    column,
    type,
    nulls === "refused" ? "NOT NULL" : "",
    isReference ? SESSION_REFERENCE : "",
    check === null ? "" : `CHECK (${check(column)})`,
    declaration.columns?.[name] ?? "",
  ];
  return words.filter((word) => word !== "").join(" ");
}

/**
 * Says what happens to the rows outside of their store. A session's rows are deleted with it, by the schema's
 * cascades; they count towards its size, and `prune` takes them with it.
 */
interface TableRules {
  /** Names the column with the rows' session; null if they belong to a project, or to nobody. */
  readonly sessionColumn: "session_id" | "id" | null;
  readonly exported: ExportRule;
  /** Names the column that says when a session was last active, for `prune`; null if there is none. */
  readonly activityColumn: string | null;
}

/** Says whether `export` includes the rows, and in which order `import` must insert them. */
export type ExportRule = { readonly kind: "never" } | OrderedExport;

interface OrderedExport {
  readonly kind: "in order";
  readonly by: string;
  /** Makes a parent row that an export lacks: `sql` creates it from the value of `column`. */
  readonly parent?: { readonly column: string; readonly sql: string };
  /** Names columns that triggers fill as other rows are inserted. */
  readonly derived?: readonly string[];
  /** Names a column that orders rows across all tables that share the sequence. */
  readonly sequence?: string;
}

/** Rows of a project or of nobody, which exporting, measuring and pruning sessions leaves out. */
export const noSessionRules = {
  sessionColumn: null,
  exported: { kind: "never" },
  activityColumn: null,
} as const satisfies TableRules;

/** A session's own rows, exported in this order. */
export const sessionRules = (order: Omit<OrderedExport, "kind">) =>
  ({
    sessionColumn: "session_id",
    exported: { kind: "in order", ...order },
    activityColumn: null,
  }) as const satisfies TableRules;

/** A session's rows that stay on this machine. */
export const localSessionRules = {
  sessionColumn: "session_id",
  exported: { kind: "never" },
  activityColumn: null,
} as const satisfies TableRules;

/**
 * Names the columns whose texts a row's checksum covers. The checksum is written with the row and checked
 * when the whole row is read: a text in which a bit has flipped may still be a text. Rows of such a table are
 * never updated.
 */
interface ChecksumRule<Name> {
  readonly sealed?: readonly Name[];
}

/** Names the checksum's own column. */
const CHECKSUM_COLUMN = "checksum";

/** Holds what a list of tables needs to know about each of them; a feature brings its own tables. */
export interface AnyTable extends Selection<unknown> {
  readonly name: string;
  readonly rules: TableRules;
  /** The columns with texts of any length, which make up a row's size. */
  readonly longColumns: readonly string[];
  readonly sql: TableSql;
}

interface Table<Row, Key extends keyof Row & string> extends AnyTable, TableCodec<Row> {
  readonly read: (row: SqlRow) => Row;
  /** Reads and writes the table's rows through a connection. */
  readonly in: (driver: Driver) => Rows<Row, Pick<Row, Key>>;
  readonly pick: <Name extends keyof Row & string>(
    ...names: readonly Name[]
  ) => ColumnSelection<Row, Pick<Row, Name>>;
}

/** Some columns of a table, read by the same filters. */
interface ColumnSelection<Row, Some> extends Selection<Some> {
  readonly in: (driver: Driver) => RowQuery<Row, Some>;
}

/** The type of a row as it is read. */
export type RowOf<Of extends { readonly read: (row: SqlRow) => unknown }> = Readonly<
  ReturnType<Of["read"]>
>;

/**
 * Reports a damaged row: `place` names table and key; `what` describes the column, and never quotes a value.
 */
export function createDamagedRowError(place: string, what: string): StorageError {
  return new StorageError(
    "corrupt",
    `A stored row can't be read: ${place}: ${what}. Only this session is affected; deleting it removes the row.`,
  );
}

export function table<Row, const Key extends keyof Row & string>(
  name: string,
  columns: Columns<Row>,
  {
    key,
    sealed = [],
    sql: declaration = {},
    ...rules
  }: TableRules &
    ChecksumRule<keyof Row & string> & {
      readonly key: readonly Key[];
      readonly sql?: TableDeclaration<NoInfer<keyof Row & string>>;
    },
): Table<Row, Key> {
  type Name = keyof Row & string;
  const names = Object.keys(columns) as Name[];
  const keyColumns = key.map(toSqlName);
  const decode = (row: SqlRow, column: Name, inSql: string): Row[Name] => {
    try {
      return columns[column].decode(row[inSql] ?? null);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const place = `${name} (${keyColumns.map((part) => String(row[part])).join(", ")})`;
      throw createDamagedRowError(place, `${inSql}${error.message}`);
    }
  };
  const select = <Some extends Name>(some: readonly Some[]): Selection<Pick<Row, Some>> => {
    const cells = some.map((one) => [one, toSqlName(one)] as const);
    return {
      // The key is read too, so that an error can name the row.
      columns: [...new Set([...keyColumns, ...some.map(toSqlName)])].join(", "),
      // A loop is faster than a list of pairs, and everything that is read from a database passes here.
      read: (row) => {
        const values = {} as Pick<Row, Some>;
        for (const [one, inSql] of cells) values[one] = decode(row, one, inSql) as Row[Some];
        return values;
      },
    };
  };
  const encode: TableCodec<Row>["encode"] = (column, value) => {
    try {
      return columns[column].encode(value);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new StorageError(
        "failed",
        `${name}.${toSqlName(column)}${error.message} can't be stored.`,
      );
    }
  };
  const covered = sealed.map(toSqlName);
  const computeChecksum = (row: SqlRow) =>
    hashText(JSON.stringify(covered.map((column) => row[column] ?? null)));
  const seal = (row: SqlRow): SqlRow =>
    covered.length === 0 ? row : { ...row, [CHECKSUM_COLUMN]: computeChecksum(row) };
  const all = select(names) as Selection<Row>;
  const decodeChecked = (row: SqlRow): Row => {
    const checksum = row[CHECKSUM_COLUMN] ?? null;
    if (checksum === null || checksum === computeChecksum(row)) return all.read(row);
    const place = `${name} (${keyColumns.map((part) => String(row[part])).join(", ")})`;
    throw createDamagedRowError(place, `${covered.join(", ")} (not as they were written)`);
  };
  const whole: Selection<Row> =
    covered.length === 0
      ? all
      : { columns: `${all.columns}, ${CHECKSUM_COLUMN}`, read: decodeChecked };
  const cells: TableCodec<Row> = {
    name,
    key: select(key),
    keyColumns,
    cells: columns,
    encode,
    seal,
  };
  return {
    ...cells,
    rules,
    sql: buildTableSql({
      ...{ name, columns, key: keyColumns, declaration },
      sessionColumn: rules.sessionColumn,
      checksum: covered.length === 0 ? null : CHECKSUM_COLUMN,
    }),
    longColumns: names.filter((column) => columns[column].extent === "long").map(toSqlName),
    ...whole,
    in: (driver) => new Rows(driver, cells, whole),
    pick(...some) {
      const selection = select(some);
      return { ...selection, in: (driver) => new RowQuery(driver, cells, selection) };
    },
  };
}
