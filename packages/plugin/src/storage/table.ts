// A table said once: its columns with their codecs, its key, and the rules that its rows are under.
import { hashText } from "../context/canonical.ts";
import { type Columns, DecodeError, sqlName } from "./column.ts";
import type { Driver, SqlRow } from "./driver.ts";
import { StorageError } from "./errors.ts";
import { type Cells, RowQuery, Rows, type Selection } from "./rows.ts";
import { type Declaration, type TableSql, tableSql } from "./table-sql.ts";

/**
 * What happens to the rows beside the work of their store. A session's rows are deleted with it, by the
 * schema's cascades; they are counted as its size, and `prune` takes them with it.
 */
interface TableRules {
  /** The column that names the session they belong to; null: they belong to a project, or to nobody. */
  readonly sessionColumn: "session_id" | "id" | null;
  readonly exported: ExportRule;
  /** The column that says when a session was last at work, for `prune`; null: these rows don't. */
  readonly activityColumn: string | null;
}

/** Whether `export` takes the rows along, and in which order `import` must put them in. */
export type ExportRule = { readonly kind: "never" } | OrderedExport;

interface OrderedExport {
  readonly kind: "in order";
  readonly by: string;
  /** What a row belongs to and an export doesn't have: `sql` makes it, with the value of `column`. */
  readonly parent?: { readonly column: string; readonly sql: string };
  /** Kept by triggers as other rows come in. */
  readonly derived?: readonly string[];
  /** Tables that share a sequence, by this column, are put in by it, whichever a row is of. */
  readonly sequence?: string;
}

/** Rows of a project, or of nobody: sessions are exported, measured and pruned without them. */
export const ofNoSession = {
  sessionColumn: null,
  exported: { kind: "never" },
  activityColumn: null,
} as const satisfies TableRules;

/** A session's own rows, exported in this order. */
export const ofSession = (order: Omit<OrderedExport, "kind">) =>
  ({
    sessionColumn: "session_id",
    exported: { kind: "in order", ...order },
    activityColumn: null,
  }) as const satisfies TableRules;

/** Rows of a session that stay on this machine. */
export const ofSessionHere = {
  sessionColumn: "session_id",
  exported: { kind: "never" },
  activityColumn: null,
} as const satisfies TableRules;

/**
 * Columns whose texts a row's checksum covers. It is written with the row and checked as the row is read
 * whole: a text in which a byte has flipped may still be a text. Rows of such a table are never updated.
 */
interface ChecksumRule<Name> {
  readonly sealed?: readonly Name[];
}

/** The checksum's own column. */
const CHECKSUM = "checksum";

/** What every list of tables needs to know of one; a feature brings its own. */
export interface AnyTable extends Selection<unknown> {
  readonly name: string;
  readonly rules: TableRules;
  /** The columns that hold texts of any length, which make a row's size. */
  readonly longColumns: readonly string[];
  readonly sql: TableSql;
}

interface Table<Row, Key extends keyof Row & string> extends AnyTable, Cells<Row> {
  readonly read: (row: SqlRow) => Row;
  /** Its rows, through a connection. */
  readonly in: (driver: Driver) => Rows<Row, Pick<Row, Key>>;
  readonly pick: <Name extends keyof Row & string>(
    ...names: readonly Name[]
  ) => ColumnSelection<Row, Pick<Row, Name>>;
}

/** Some columns of a table, read by the same filters. */
interface ColumnSelection<Row, Some> extends Selection<Some> {
  readonly in: (driver: Driver) => RowQuery<Row, Some>;
}

/** A row as it is read. */
export type RowOf<Of extends { readonly read: (row: SqlRow) => unknown }> = Readonly<
  ReturnType<Of["read"]>
>;

/** `place` names table and key; `what` says of which column, and never quotes a value. */
export function damagedRow(place: string, what: string): StorageError {
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
      readonly sql?: Declaration<NoInfer<keyof Row & string>>;
    },
): Table<Row, Key> {
  type Name = keyof Row & string;
  const names = Object.keys(columns) as Name[];
  const keyColumns = key.map(sqlName);
  const decode = (row: SqlRow, column: Name, inSql: string): Row[Name] => {
    try {
      return columns[column].decode(row[inSql] ?? null);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const place = `${name} (${keyColumns.map((part) => String(row[part])).join(", ")})`;
      throw damagedRow(place, `${inSql}${error.message}`);
    }
  };
  const select = <Some extends Name>(some: readonly Some[]): Selection<Pick<Row, Some>> => {
    const cells = some.map((one) => [one, sqlName(one)] as const);
    return {
      // The key too, so that an error can name the row.
      columns: [...new Set([...keyColumns, ...some.map(sqlName)])].join(", "),
      // A loop and no list of pairs: all that is read of a database comes by here.
      read: (row) => {
        const values = {} as Pick<Row, Some>;
        for (const [one, inSql] of cells) values[one] = decode(row, one, inSql) as Row[Some];
        return values;
      },
    };
  };
  const encode: Cells<Row>["encode"] = (column, value) => {
    try {
      return columns[column].encode(value);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new StorageError(
        "failed",
        `${name}.${sqlName(column)}${error.message} can't be stored.`,
      );
    }
  };
  const covered = sealed.map(sqlName);
  const computeChecksum = (row: SqlRow) =>
    hashText(JSON.stringify(covered.map((column) => row[column] ?? null)));
  const seal = (row: SqlRow): SqlRow =>
    covered.length === 0 ? row : { ...row, [CHECKSUM]: computeChecksum(row) };
  const all = select(names) as Selection<Row>;
  const checked = (row: SqlRow): Row => {
    const checksum = row[CHECKSUM] ?? null;
    if (checksum === null || checksum === computeChecksum(row)) return all.read(row);
    const place = `${name} (${keyColumns.map((part) => String(row[part])).join(", ")})`;
    throw damagedRow(place, `${covered.join(", ")} (not as they were written)`);
  };
  const whole: Selection<Row> =
    covered.length === 0 ? all : { columns: `${all.columns}, ${CHECKSUM}`, read: checked };
  const cells: Cells<Row> = { name, key: select(key), keyColumns, cells: columns, encode, seal };
  return {
    ...cells,
    rules,
    sql: tableSql({
      ...{ name, columns, key: keyColumns, declaration },
      sessionColumn: rules.sessionColumn,
      checksum: covered.length === 0 ? null : CHECKSUM,
    }),
    longColumns: names.filter((column) => columns[column].extent === "long").map(sqlName),
    ...whole,
    in: (driver) => new Rows(driver, cells, whole),
    pick(...some) {
      const selection = select(some);
      return { ...selection, in: (driver) => new RowQuery(driver, cells, selection) };
    },
  };
}
