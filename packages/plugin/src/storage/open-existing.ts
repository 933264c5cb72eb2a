// Opens an existing database to read it or to change it by hand, and creates, migrates and moves nothing.
import { connect } from "./connect.ts";
import type { Driver } from "./driver.ts";
import { createNotADatabaseError, toStorageError } from "./errors.ts";
import { isForeignFile } from "./files.ts";
import { guardRealData, readPathEnvironment } from "./location.ts";
import { refuseOtherSchema } from "./migrations.ts";
import type { Schema } from "./schema.ts";

/** Sets a short wait in milliseconds, as a reader waits only while another process recovers the file. */
const READING_PRAGMAS = "PRAGMA busy_timeout = 1000";
/**
 * Sets a longer wait, because a command that somebody started by hand may wait longer than a call of the
 * host.
 */
const WRITING_PRAGMAS =
  "PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL";

/**
 * Opens a database for reading and leaves a damaged file as it is. `createDatabase` builds its stores, whose
 * writes are refused.
 * @throws StorageError `older_schema` and `newer_schema` if the schema has another version.
 */
export function openForReading(path: string, schema: Schema): Promise<Driver> {
  return openExisting(path, schema, "read", READING_PRAGMAS);
}

/**
 * Opens a database for changes. Unlike the plugin's own opening it neither replaces a damaged file nor
 * migrates.
 * @throws StorageError `older_schema` and `newer_schema` if the schema has another version.
 */
export function openForWriting(path: string, schema: Schema): Promise<Driver> {
  return openExisting(path, schema, "write", WRITING_PRAGMAS);
}

async function openExisting(
  path: string,
  schema: Schema,
  access: "read" | "write",
  settings: string,
): Promise<Driver> {
  try {
    guardRealData(path, readPathEnvironment());
    const driver = await connect(path, access, settings);
    try {
      driver.read(() => refuseOtherSchema(driver, path, schema));
      return driver;
    } catch (error) {
      driver.close();
      throw error;
    }
  } catch (error) {
    const known = toStorageError(error, path);
    throw known.code === "corrupt" && isForeignFile(path) ? createNotADatabaseError(path) : known;
  }
}
