// The schema's migrations, and whether a file is ours.
import { storedParts } from "../features/stored.ts";
import type { Driver } from "./driver.ts";
import { advice } from "./errors.ts";
import { ledgerSchema } from "./migrations/0001-ledger.ts";
import { briefSchema } from "./migrations/0003-brief.ts";
import { formSchema } from "./migrations/0004-form.ts";
import { originSchema } from "./migrations/0005-origin.ts";
import { costSchema } from "./migrations/0006-cost.ts";
import type { Migration } from "./schema-part.ts";
import { StorageError } from "./store.ts";

/** In order, those of features among them. */
export const migrations: readonly Migration[] = [
  { version: 1, sql: ledgerSchema },
  { version: 3, sql: briefSchema },
  { version: 4, sql: formSchema },
  { version: 5, sql: originSchema },
  { version: 6, sql: costSchema },
  ...storedParts.flatMap((part) => part.migrations),
].toSorted((left, right) => left.version - right.version);

export const latestVersion = Math.max(...migrations.map(({ version }) => version));

/** "SRRT", in the file's header: distinguishes our files from those of other applications. */
const APPLICATION_ID = 0x53525254;

/**
 * Only reads, so that nothing of a file that is not ours, or not for us, is touched; to be called
 * within `read`, as another process may be making the schema now.
 * @throws StorageError `newer_schema`, or `unopenable` for another application's database.
 */
export function refuseUnknown(driver: Driver, path: string): void {
  const version = schemaVersion(driver);
  if (applicationId(driver) !== APPLICATION_ID && !isEmpty(driver)) {
    const detail = "it is the database of another application";
    throw new StorageError("unopenable", advice("unopenable", path, detail));
  }
  if (version > latestVersion) {
    const detail = `schema ${version}, this one knows ${latestVersion}`;
    throw new StorageError("newer_schema", advice("newer_schema", path, detail));
  }
}

/**
 * For those who only read: nothing is brought up to date for them.
 * @throws StorageError `older_schema`, and what `refuseUnknown` throws.
 */
export function refuseOther(driver: Driver, path: string): void {
  refuseUnknown(driver, path);
  const version = schemaVersion(driver);
  if (version === latestVersion) return;
  const detail = `schema ${version}, this one reads ${latestVersion}`;
  throw new StorageError("older_schema", advice("older_schema", path, detail));
}

/** Brings the schema up to date, one transaction per step; of processes that race, one does each. */
export function migrate(driver: Driver): void {
  migrateTo(driver, latestVersion);
}

/** The same, up to an older version: for data of that version. */
export function migrateTo(driver: Driver, target: number): void {
  for (const { version, sql } of migrations) {
    if (version > target || schemaVersion(driver) >= version) continue;
    driver.transaction(() => {
      if (schemaVersion(driver) >= version) return;
      driver.exec(sql);
      driver.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`);
    });
  }
}

export function schemaVersion(driver: Driver): number {
  return Number(driver.get("PRAGMA user_version")?.user_version);
}

function applicationId(driver: Driver): number {
  return Number(driver.get("PRAGMA application_id")?.application_id);
}

function isEmpty(driver: Driver): boolean {
  return driver.get("SELECT 1 AS found FROM sqlite_schema LIMIT 1") === null;
}
