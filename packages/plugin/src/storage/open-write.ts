// Opens an existing database to change it by hand.
import type { Driver } from "./driver.ts";
import { storageError, withStorageErrors } from "./errors.ts";
import { guardRealData, processSurroundings } from "./location.ts";
import { refuseOther } from "./migrations.ts";
import { runtimeDriver } from "./open-driver.ts";

/** A command that somebody started by hand may wait longer than a call of the host. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens a database that is there, to change it by hand: unlike the plugin's own opening it neither
 * begins a new one in place of a damaged one nor migrates.
 * @throws StorageError `older_schema` and `newer_schema` where the schema is another one.
 */
export async function openForWriting(path: string): Promise<Driver> {
  try {
    guardRealData(path, processSurroundings());
    const openDriver = await runtimeDriver();
    const driver = withStorageErrors(openDriver(path), path, () => undefined);
    try {
      driver.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      driver.read(() => refuseOther(driver, path));
      driver.exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL");
      return driver;
    } catch (error) {
      driver.close();
      throw error;
    }
  } catch (error) {
    throw storageError(error, path);
  }
}
