// The tables of long sessions: what was rewritten, and what models take.
import { limitTables } from "../limits/store.ts";
import type { SchemaPart } from "../storage/schema-part.ts";
import { rewriteTables } from "./store.ts";

export const historyTables: SchemaPart = {
  tables: [...rewriteTables.tables, ...limitTables.tables],
  migrations: [...rewriteTables.migrations, ...limitTables.migrations],
};
