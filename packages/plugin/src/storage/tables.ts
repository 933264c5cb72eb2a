// All tables, once: those of the core, and those that features bring.
import { storedParts } from "../features/stored.ts";
import { briefTable } from "./brief-store.ts";
import { formTable } from "./form-store.ts";
import { jobTable } from "./job-store.ts";
import { entryTable, epochTable, preparedTable } from "./ledger-store.ts";
import { sessionTable } from "./session-store.ts";
import type { AnyTable } from "./table.ts";
import { turnTable } from "./turn-store.ts";

/** In the order in which a session's rows can be put in: what others refer to comes first. */
export const tables: readonly AnyTable[] = [
  sessionTable,
  epochTable,
  entryTable,
  turnTable,
  briefTable,
  formTable,
  preparedTable,
  jobTable,
  ...storedParts.flatMap((part) => part.tables),
];
