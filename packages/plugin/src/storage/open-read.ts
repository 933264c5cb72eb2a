// Opens the database read-only: creates, migrates and marks nothing.
import type { Driver } from "./driver.ts";
import { storageError, withStorageErrors } from "./errors.ts";
import { guardRealData, processSurroundings } from "./location.ts";
import { refuseOther } from "./migrations.ts";
import { runtimeReader } from "./open-driver.ts";

/** A reader waits only where another process recovers the file, which is short. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * Opens the database at `path` as it is: makes nothing, migrates nothing, moves nothing aside, and
 * leaves no mark on a file that is found damaged. `databaseOver` gives its stores; what they write
 * is refused.
 * @throws StorageError `older_schema` and `newer_schema` where the schema is another one.
 */
export async function openForReading(path: string): Promise<Driver> {
  try {
    guardRealData(path, processSurroundings());
    const openReader = await runtimeReader();
    return checked(
      withStorageErrors(openReader(path), path, () => undefined),
      path,
    );
  } catch (error) {
    throw storageError(error, path);
  }
}

function checked(driver: Driver, path: string): Driver {
  try {
    driver.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    driver.read(() => refuseOther(driver, path));
    return driver;
  } catch (error) {
    driver.close();
    throw error;
  }
}
