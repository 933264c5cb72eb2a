// All stores over one connection, and what they have in common.
// Folder: The SQLite database: schema, stores, drivers.
import { type BriefStore, createBriefStore } from "./brief-store.ts";
import type { Driver } from "./driver.ts";
import { createFormStore, type FormStore } from "./form-store.ts";
import { type DatabaseHealth, readHealth } from "./health.ts";
import { createJobStore, type JobStore } from "./job-store.ts";
import {
  createLedgerStore,
  createProposalStore,
  type LedgerStore,
  type ProposalStore,
} from "./ledger-store.ts";
import type { OverviewStore } from "./overview-records.ts";
import { createOverviewStore } from "./overview-store.ts";
import { createSessionStore, type SessionStore } from "./session-store.ts";
import { createTurnStore, type TurnStore } from "./turn-store.ts";

// The database as a whole: its stores, and what they have in common.

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

/**
 * The distance between the versions of successive connections. `PRAGMA data_version` counts in each connection
 * separately: without the distance, a new connection could report a number that an earlier one has used for a
 * different state.
 */
const VERSIONS_PER_OPENING = 2 ** 32;
let openingCount = 0;

/** Builds the stores over one connection whose schema is up to date. */
export function createDatabase(driver: Driver, path: string): RuntimeDatabase {
  openingCount += 1;
  const opening = openingCount * VERSIONS_PER_OPENING;
  let seenVersion = opening;
  const stores = new Map<(driver: Driver) => unknown, unknown>();
  return {
    sessions: createSessionStore(driver),
    ledger: createLedgerStore(driver),
    turns: createTurnStore(driver),
    briefs: createBriefStore(driver),
    forms: createFormStore(driver),
    jobs: createJobStore(driver),
    proposals: createProposalStore(driver),
    overview: createOverviewStore(driver),
    store<Store>(make: (driver: Driver) => Store): Store {
      const store = stores.get(make) ?? make(driver);
      stores.set(make, store);
      return store as Store;
    },
    foreignVersion() {
      seenVersion = opening + Number(driver.get("PRAGMA data_version")?.data_version);
      return seenVersion;
    },
    seenVersion: () => seenVersion,
    health: () => readHealth(driver, path),
    close: () => driver.close(),
  };
}
