// What the core itself keeps in the database.
import { briefTable } from "./brief-store.ts";
import { formTable } from "./form-store.ts";
import { jobTable } from "./job-table.ts";
import { entryTable, epochTable, preparedTable } from "./ledger-table.ts";
import { ledgerSchema } from "./migrations/0001-ledger.ts";
import { briefSchema } from "./migrations/0003-brief.ts";
import { formSchema } from "./migrations/0004-form.ts";
import { originSchema } from "./migrations/0005-origin.ts";
import { costSchema } from "./migrations/0006-cost.ts";
import { subjectSchema } from "./migrations/0019-subject.ts";
import { harnessSchema } from "./migrations/0023-harness.ts";
import { announcedSchema } from "./migrations/0024-announced.ts";
import { proposalSchema } from "./migrations/0026-proposal.ts";
import { boardSchema } from "./migrations/0027-board.ts";
import { checksumSchema } from "./migrations/0029-checksum.ts";
import { proposalTable } from "./proposal-store.ts";
import type { SchemaPart } from "./schema-part.ts";
import { sessionTable } from "./session-store.ts";
import { turnTable } from "./turn-store.ts";

export const corePart: SchemaPart = {
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
  migrations: [
    { version: 1, sql: ledgerSchema },
    { version: 3, sql: briefSchema },
    { version: 4, sql: formSchema },
    { version: 5, sql: originSchema },
    { version: 6, sql: costSchema },
    { version: 19, sql: subjectSchema },
    { version: 23, sql: harnessSchema },
    { version: 24, sql: announcedSchema },
    { version: 26, sql: proposalSchema },
    { version: 27, sql: boardSchema },
    { version: 29, sql: checksumSchema },
  ],
};
