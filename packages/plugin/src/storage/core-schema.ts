// The tables that the core itself keeps in the database.
import { briefTable } from "./brief-store.ts";
import { formTable } from "./form-store.ts";
import { jobTable } from "./job-table.ts";
import { entryTable, epochTable, preparedTable } from "./ledger-table.ts";
import { proposalTable } from "./proposal-store.ts";
import type { SchemaModule } from "./schema-module.ts";
import { sessionTable } from "./session-store.ts";
import { turnTable } from "./turn-store.ts";

export const corePart: SchemaModule = {
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
