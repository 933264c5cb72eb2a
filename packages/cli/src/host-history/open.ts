// Reads the host's own database, if it exists and has a known schema.
// Folder: OpenCode's own database, read only.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { storageError, withStorageErrors } from "../../../plugin/src/storage/errors.ts";
import { runtimeReader } from "../../../plugin/src/storage/open-driver.ts";
import { StorageError } from "../../../plugin/src/storage/store.ts";
import { type Environment, placesOf } from "../host/places.ts";

/** What was read of the host's own database, or why it could not be. */
type HostReading<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "missing"; readonly path: string; readonly reason: string };

/** What we read of it (OpenCode 1.18.33): with other columns it is as good as not there. */
const PROBES = [
  "SELECT id, title, revert FROM session LIMIT 0",
  "SELECT id, session_id, data FROM message LIMIT 0",
  "SELECT id, message_id, data FROM part LIMIT 0",
];

/**
 * Reads the host's database, where it is there and as we know it. A convenience: nothing that we do
 * depends on it, so that whatever is wrong with it is only told.
 */
export async function readHostHistory<T>(
  env: Environment,
  read: (driver: Driver) => T,
): Promise<HostReading<T>> {
  const path = join(placesOf(env).hostData, "opencode.db");
  if (!existsSync(path)) return { kind: "missing", path, reason: "it is not there" };
  try {
    const driver = await openKnown(path);
    try {
      return { kind: "read", value: driver.read(() => read(driver)) };
    } finally {
      driver.close();
    }
  } catch (error) {
    return { kind: "missing", path, reason: reasonOf(storageError(error, path)) };
  }
}

async function openKnown(path: string): Promise<Driver> {
  const openReader = await runtimeReader();
  const driver = withStorageErrors(openReader(path), path, () => undefined);
  try {
    driver.exec("PRAGMA busy_timeout = 1000");
    for (const probe of PROBES) driver.all(probe);
    return driver;
  } catch (error) {
    driver.close();
    throw error;
  }
}

/** SQLite's own words: those of ours are about our own database. */
function reasonOf({ cause, message }: StorageError): string {
  if (cause instanceof StorageError) return reasonOf(cause);
  return cause instanceof Error ? cause.message : message;
}
