// Refuses work on a database that another process has open, idle or not.
import { withStorageErrors } from "../../../plugin/src/storage/errors.ts";
import { runtimeDriver } from "../../../plugin/src/storage/open-driver.ts";
import { StorageError } from "../../../plugin/src/storage/store.ts";
import { CliError } from "../cli-error.ts";

/**
 * An idle OpenCode holds no lease, but keeps in memory what it has read: only SQLite knows that it
 * has the file open.
 */
export async function refuseOpen(path: string, advice: string): Promise<void> {
  const openDriver = await runtimeDriver();
  const driver = withStorageErrors(openDriver(path), path, () => undefined);
  try {
    // A connection that wants the file for itself gets it only where there is no other one.
    driver.exec("PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE");
    driver.exec("BEGIN IMMEDIATE");
    driver.exec("ROLLBACK");
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "locked") throw error;
    throw new CliError(
      "database-in-use",
      "Another process has the database open, most likely OpenCode. Nothing was changed.",
      advice,
    );
  } finally {
    driver.close();
  }
}
