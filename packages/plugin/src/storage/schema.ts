// The schema as a value: the core's tables and migrations, with those of the given modules.
import { briefTable } from "./brief-store.ts";
import { formTable } from "./form-store.ts";
import { jobTable } from "./job-records.ts";
import { proposalTable } from "./ledger-store.ts";
import { entryTable, epochTable, preparedTable } from "./ledger-table.ts";
import type { Migration, Salvage, SchemaModule } from "./schema-module.ts";
import { sessionTable } from "./session-store.ts";
import type { AnyTable } from "./table.ts";
import { turnTable } from "./turn-store.ts";

// The tables that the core itself keeps in the database.

const coreModule: SchemaModule = {
  tables: [
    sessionTable,
    epochTable,
    entryTable,
    turnTable,
    briefTable,
    formTable,
    preparedTable,
    proposalTable,
    jobTable,
  ],
};

/**
 * The schema of version 0.1.0. Lower numbers are those of development versions, which had one schema for each
 * change; none of them was released.
 */
export const FIRST_SCHEMA_VERSION = 100;

export interface Schema {
  /** The tables in the order in which a session's rows can be inserted, referenced tables first. */
  readonly tables: readonly AnyTable[];
  /** Creates the whole schema in an empty database. */
  readonly sql: string;
  /** The migrations in the order of their versions. */
  readonly migrations: readonly Migration[];
  /** The newest migration's version. */
  readonly version: number;
  readonly salvages: readonly Salvage[];
}

export function composeSchema(parts: readonly SchemaModule[]): Schema {
  const all = [coreModule, ...parts];
  const steps = new Map<number, string>();
  for (const { version, sql } of all.flatMap((part) => part.migrations ?? [])) {
    const others = steps.get(version);
    steps.set(version, others === undefined ? sql : `${others}\n${sql}`);
  }
  const migrations = [...steps]
    .map(([version, sql]) => ({ version, sql }))
    .toSorted((left, right) => left.version - right.version);
  const tables = all.flatMap((part) => part.tables);
  const sql = [
    ...tables.map((table) => table.sql.create),
    ...tables.map((table) => table.sql.extras),
    ...all.map((part) => part.setUp ?? ""),
  ];
  return {
    tables,
    sql: `${sql.filter((one) => one !== "").join("\n\n")}\n`,
    migrations,
    version: Math.max(FIRST_SCHEMA_VERSION, ...migrations.map(({ version }) => version)),
    salvages: all.flatMap((part) => part.salvage ?? []),
  };
}
