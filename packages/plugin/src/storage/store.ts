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
  /** Bytes of the file, with what only its WAL holds so far. */
  readonly sizeBytes: number;
  readonly schemaVersion: number;
}

/** Represents one open database. Errors are `StorageError`s with a code. */
export interface RuntimeDatabase {
  readonly sessions: SessionStore;
  readonly ledger: LedgerStore;
  readonly turns: TurnStore;
  readonly briefs: BriefStore;
  readonly forms: FormStore;
  readonly jobs: JobStore;
  readonly proposals: ProposalStore;
  readonly overview: OverviewStore;
  /** Returns a feature's own store; each `make` is called once for this connection. */
  store<Store>(make: (driver: Driver) => Store): Store;
  /** Returns a number that changes when another connection has written, which makes cached values stale. */
  foreignVersion(): number;
  /** Returns the last value of `foreignVersion`, which each boundary asks for first. */
  seenVersion(): number;
  health(): DatabaseHealth;
  close(): void;
}

/** Marks a source as unreadable because its text is kept in the runtime's own database. */
export const DATABASE_UNREADABLE = "database_unreadable";
