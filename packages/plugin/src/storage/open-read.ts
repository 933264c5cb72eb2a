import { databaseOver } from "./database.ts";
import type { Driver } from "./driver.ts";
import { storageError, withStorageErrors } from "./errors.ts";
import { guardRealData, processSurroundings } from "./location.ts";
import { refuseOther } from "./migrations.ts";
import { runtimeReader } from "./open-driver.ts";
import type { RuntimeDatabase } from "./store.ts";

/** A reader waits only where another process recovers the file, which is short. */
const BUSY_TIMEOUT_MS = 1_000;

/** An open database of which nothing is ever written; the stores' writes are refused. */
export interface ReadDatabase {
  readonly stores: RuntimeDatabase;
  /** For what the stores don't read. */
  readonly driver: Driver;
}

/**
 * Opens the database at `path` as it is: makes nothing, migrates nothing, moves nothing aside, and
 * leaves no mark on a file that is found damaged.
 * @throws StorageError `older_schema` and `newer_schema` where the schema is another one.
 */
export async function openForReading(path: string): Promise<ReadDatabase> {
  try {
    guardRealData(path, processSurroundings());
    const openReader = await runtimeReader();
    const driver = withStorageErrors(openReader(path), path, () => undefined);
    return { driver, stores: readStores(driver, path) };
  } catch (error) {
    throw storageError(error, path);
  }
}

function readStores(driver: Driver, path: string): RuntimeDatabase {
  try {
    driver.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    driver.read(() => refuseOther(driver, path));
    return databaseOver(driver, path);
  } catch (error) {
    driver.close();
    throw error;
  }
}
