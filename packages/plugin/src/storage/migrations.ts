// Creates a file's schema or brings it up to date, and refuses files that are not ours.
import type { Driver } from "./driver.ts";
import { renderAdvice, StorageError } from "./errors.ts";
import { FIRST_SCHEMA_VERSION, type Schema } from "./schema.ts";

/** Spells "SRRT" in the file's header, which distinguishes our files from those of other applications. */
const APPLICATION_ID = 0x53525254;

/**
 * Refuses foreign and newer files. It only reads, so that nothing changes in a file that is not ours or is
 * too new; call it within `read`, as another process may be creating the schema.
 * @throws StorageError `newer_schema`, or `unopenable` for another application's database.
 */
export function refuseUnknownSchema(driver: Driver, path: string, schema: Schema): void {
  const version = readSchemaVersion(driver);
  if (readApplicationId(driver) !== APPLICATION_ID && !isEmpty(driver)) {
    const detail = "it is the database of another application";
    throw new StorageError("unopenable", renderAdvice("unopenable", path, detail));
  }
  if (version > schema.version) {
    const detail = `schema ${version}, this one knows ${schema.version}`;
    throw new StorageError("newer_schema", renderAdvice("newer_schema", path, detail));
  }
}

/**
 * Refuses every schema but the current one, for connections that only read and so can't migrate.
 * @throws StorageError `older_schema`, `development_schema`, and what `refuseUnknownSchema` throws.
 */
export function refuseOtherSchema(driver: Driver, path: string, schema: Schema): void {
  refuseUnknownSchema(driver, path, schema);
  const version = readSchemaVersion(driver);
  if (version === schema.version) return;
  const code = isDevelopmentSchema(version) ? "development_schema" : "older_schema";
  const detail = `schema ${version}, this one reads ${schema.version}`;
  throw new StorageError(code, renderAdvice(code, path, detail));
}

/** Says whether the schema is a development version's. A file without a schema has version 0 and is new. */
export function isDevelopmentSchema(version: number): boolean {
  return version > 0 && version < FIRST_SCHEMA_VERSION;
}

/**
 * Creates the schema in a new database, or migrates a released one with one transaction per migration; of
 * processes that race, one performs each migration.
 */
export function migrate(driver: Driver, schema: Schema): void {
  if (readSchemaVersion(driver) === 0) {
    driver.transaction(() => {
      if (readSchemaVersion(driver) === 0) createSchema(driver, schema);
    });
  }
  migrateTo(driver, schema, schema.version);
}

/** Creates the schema in an empty database, within the caller's transaction. */
export function createSchema(driver: Driver, schema: Schema): void {
  driver.exec(schema.sql);
  stampVersion(driver, schema.version);
}

/** Migrates a released schema to a later version. */
export function migrateTo(driver: Driver, schema: Schema, target: number): void {
  for (const { version, sql } of schema.migrations) {
    if (version > target || readSchemaVersion(driver) >= version) continue;
    driver.transaction(() => {
      if (readSchemaVersion(driver) >= version) return;
      driver.exec(sql);
      stampVersion(driver, version);
    });
  }
}

function stampVersion(driver: Driver, version: number): void {
  driver.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`);
}

export function readSchemaVersion(driver: Driver): number {
  return Number(driver.get("PRAGMA user_version")?.user_version);
}

function readApplicationId(driver: Driver): number {
  return Number(driver.get("PRAGMA application_id")?.application_id);
}

function isEmpty(driver: Driver): boolean {
  return driver.get("SELECT 1 AS found FROM sqlite_schema LIMIT 1") === null;
}
