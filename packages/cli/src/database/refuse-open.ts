// Refuses work on a database that another process has open, idle or not.
import { connect, withConnection } from "@session-runtime/opencode/storage/connect";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import { CliError } from "../cli-error.ts";

/**
 * Refuses a database that is open elsewhere. An idle OpenCode holds no lease, but caches what it has read:
 * only SQLite knows that it has the file open.
 */
export async function refuseOpen(path: string, advice: string): Promise<void> {
  // SQLite grants an exclusive lock only where no other connection exists.
  const settings = "PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE";
  try {
    await withConnection(connect(path, "write", settings), (driver) => {
      driver.exec("BEGIN IMMEDIATE");
      driver.exec("ROLLBACK");
    });
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== "locked") throw error;
    throw new CliError(
      "database-in-use",
      "Another process has the database open, most likely OpenCode. Nothing was changed.",
      advice,
    );
  }
}
