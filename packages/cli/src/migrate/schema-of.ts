// Reads a database of any schema up to this one.
import { existsSync } from "node:fs";
import { connect, during } from "../../../plugin/src/storage/connect.ts";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { refuseUnknown, schemaVersion } from "../../../plugin/src/storage/migrations.ts";
import { missingDatabase } from "../database/refusal.ts";
import { schema } from "../database/schema.ts";

/**
 * Opens a database of ours of any schema up to this one, for as long as `body` takes. It is only
 * read.
 * @throws StorageError for a newer one, or another application's.
 */
export async function readingAnySchema<T>(
  path: string,
  body: (driver: Driver, version: number) => T,
): Promise<T> {
  if (!existsSync(path)) throw missingDatabase(path);
  return during(connect(path, "read", "PRAGMA busy_timeout = 5000"), (driver) => {
    driver.read(() => refuseUnknown(driver, path, schema));
    return body(driver, schemaVersion(driver));
  });
}
