// The SQL that makes a table, from its declaration.
import { type Columns, sqlName } from "./column.ts";

/** Declares what the schema says of a table besides its columns' types. */
export interface Declaration<Name extends string> {
  /** Adds SQL to a column: its default, what it refers to, further checks. */
  readonly columns?: Readonly<Partial<Record<Name, string>>>;
  readonly constraints?: readonly string[];
  /** `by key` stores rows in the order of the key, as WITHOUT ROWID does. */
  readonly layout?: "by key";
  /** Statements that make the table's indexes and triggers. */
  readonly extras?: string;
}

export interface TableSql {
  readonly create: string;
  /** Statements that run when all tables exist. */
  readonly extras: string;
}

interface Shape<Row> {
  readonly name: string;
  readonly columns: Columns<Row>;
  readonly key: readonly string[];
  readonly sessionColumn: "session_id" | "id" | null;
  /** Names the checksum column that the table has besides its rows' own; null if there is none. */
  readonly checksum: string | null;
  readonly declaration: Declaration<keyof Row & string>;
}

/** Builds a trigger that refuses updates; `rows` names the rows in its message. */
export const neverUpdated = (name: string, rows: string): string => `
CREATE TRIGGER ${name}_is_never_updated BEFORE UPDATE ON ${name} BEGIN
  SELECT RAISE(ABORT, '${rows} are never updated');
END;`;

const OF_SESSION = "REFERENCES session (id) ON DELETE CASCADE";

export function tableSql<Row>(shape: Shape<Row>): TableSql {
  const { name, columns, key, checksum, declaration } = shape;
  const { constraints = [], layout, extras = "" } = declaration;
  const names = Object.keys(columns) as (keyof Row & string)[];
  const lines = [
    ...names.map((column) => columnSql(shape, column)),
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

function columnSql<Row>(
  { columns, sessionColumn, declaration }: Shape<Row>,
  name: keyof Row & string,
): string {
  const column = sqlName(name);
  const { type, nulls, check } = columns[name].sql;
  // A table whose rows belong to another table's is deleted with the session by that reference.
  const isReference =
    column === "session_id" &&
    sessionColumn === "session_id" &&
    !declaration.constraints?.some((one) => one.startsWith("FOREIGN KEY (session_id"));
  const words = [
    column,
    type,
    nulls === "refused" ? "NOT NULL" : "",
    isReference ? OF_SESSION : "",
    check === null ? "" : `CHECK (${check(column)})`,
    declaration.columns?.[name] ?? "",
  ];
  return words.filter((word) => word !== "").join(" ");
}
