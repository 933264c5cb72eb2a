import type { Driver, SqlValue } from "../../src/storage/driver.ts";

const TABLES = [
  "session",
  "epoch",
  "entry",
  "turn",
  "session_input",
  "session_lease",
  "proposal",
] as const;

/** The database as SQL that builds it again: tables, rows in key order, then indexes and triggers. */
export function dump(driver: Driver): string {
  const [tables, others] = dumpSchema(driver);
  return `${[...tables, ...dumpRows(driver), ...others, ...dumpPragmas(driver)].join("\n")}\n`;
}

/** Number of rows in each table. */
export function rowCounts(driver: Driver): Record<string, number> {
  return Object.fromEntries(
    TABLES.map((table) => [table, Number(driver.get(`SELECT count(*) AS n FROM ${table}`)?.n)]),
  );
}

/** All that the schema says, in an order that does not depend on how it came about. */
export function dumpSchema(driver: Driver): readonly [tables: string[], others: string[]] {
  const rows = driver.all(
    `SELECT type, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
     ORDER BY type, name`,
  );
  const statements = (isTable: boolean) =>
    rows.filter((row) => (row.type === "table") === isTable).map((row) => `${row.sql};`);
  return [statements(true), statements(false)];
}

/** An older schema has not all of them. */
function dumpRows(driver: Driver): string[] {
  const there = new Set(driver.all("SELECT name FROM sqlite_schema").map(({ name }) => name));
  return TABLES.filter((table) => there.has(table)).flatMap((table) =>
    driver.all(`SELECT * FROM ${table} ORDER BY 1, 2`).map((row) => {
      const columns = Object.keys(row).join(", ");
      const values = Object.values(row).map(literal).join(", ");
      return `INSERT INTO ${table} (${columns}) VALUES (${values});`;
    }),
  );
}

function dumpPragmas(driver: Driver): string[] {
  return ["application_id", "user_version"].map(
    (pragma) => `PRAGMA ${pragma} = ${driver.get(`PRAGMA ${pragma}`)?.[pragma]};`,
  );
}

function literal(value: SqlValue): string {
  if (value === null || typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  return `x'${Buffer.from(value).toString("hex")}'`;
}
