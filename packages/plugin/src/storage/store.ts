// The database as a whole: its stores, and what they have in common.
// Folder: The SQLite database: schema, stores, drivers.
import type { BriefStore } from "./brief-store.ts";
import type { Driver } from "./driver.ts";
import type { FormStore } from "./form-store.ts";
import type { JobStore } from "./job-store.ts";
import type { LedgerStore } from "./ledger-store.ts";
import type { OverviewStore } from "./overview-records.ts";
import type { ProposalStore } from "./proposal-store.ts";
import type { SessionStore } from "./session-store.ts";
import type { TurnStore } from "./turn-store.ts";

export interface DatabaseHealth {
  readonly path: string;
  /** The file and what only its WAL holds yet. */
  readonly sizeBytes: number;
  readonly schemaVersion: number;
}

/** One open database. Errors are `StorageError`s with a code. */
export interface RuntimeDatabase {
  readonly sessions: SessionStore;
  readonly ledger: LedgerStore;
  readonly turns: TurnStore;
  readonly briefs: BriefStore;
  readonly forms: FormStore;
  readonly jobs: JobStore;
  readonly proposals: ProposalStore;
  readonly overview: OverviewStore;
  /** A feature's own store; each `make` is called once for this connection. */
  store<Store>(make: (driver: Driver) => Store): Store;
  /** Changes when another connection has written: what is held in memory is stale then. */
  foreignVersion(): number;
  /** As it was last given: each boundary asks for it first. */
  seenVersion(): number;
  health(): DatabaseHealth;
  close(): void;
}

/** Why a source can't be read whose text is kept in the runtime's own database. */
export const DATABASE_UNREADABLE = "database_unreadable";
