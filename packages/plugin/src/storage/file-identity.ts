// Writes only while the database's file still exists at its path.
import type { Driver } from "./driver.ts";
import { advice, StorageError } from "./errors.ts";
import { readFileIdentity } from "./files.ts";

/**
 * Wraps a driver so that it writes only while its file has its name. SQLite would go on writing into a deleted
 * file, and everything stored there would be lost with the process.
 */
export function whileStillThere(driver: Driver, path: string): Driver {
  const identity = readFileIdentity(path);
  let isWriting = false;
  function written<T>(body: () => T): T {
    if (isWriting) return body();
    if (readFileIdentity(path) !== identity)
      throw new StorageError("gone", advice("gone", path, ""));
    isWriting = true;
    try {
      return body();
    } finally {
      isWriting = false;
    }
  }
  return {
    ...driver,
    run: (sql, ...binds) => written(() => driver.run(sql, ...binds)),
    transaction: (body) => written(() => driver.transaction(body)),
  };
}
