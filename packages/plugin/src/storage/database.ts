// All stores over one connection.
import { briefStore } from "./brief-store.ts";
import type { Driver } from "./driver.ts";
import { formStore } from "./form-store.ts";
import { readHealth } from "./health.ts";
import { jobStore } from "./job-store.ts";
import { ledgerStore } from "./ledger-store.ts";
import { overviewStore } from "./overview-store.ts";
import { proposalStore } from "./proposal-store.ts";
import { sessionStore } from "./session-store.ts";
import type { RuntimeDatabase } from "./store.ts";
import { turnStore } from "./turn-store.ts";

/**
 * Each connection counts the writes of others by itself, so the counts of two connections must never be equal.
 */
const OPENING = 2 ** 32;
let openings = 0;

/** Builds the stores over one connection whose schema is up to date. */
export function createDatabase(driver: Driver, path: string): RuntimeDatabase {
  openings += 1;
  const opening = openings * OPENING;
  let seenVersion = opening;
  const stores = new Map<(driver: Driver) => unknown, unknown>();
  return {
    sessions: sessionStore(driver),
    ledger: ledgerStore(driver),
    turns: turnStore(driver),
    briefs: briefStore(driver),
    forms: formStore(driver),
    jobs: jobStore(driver),
    proposals: proposalStore(driver),
    overview: overviewStore(driver),
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
