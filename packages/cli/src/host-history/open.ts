// Reads the host's own database, if it exists and has a known schema.
// Folder: OpenCode's own database, read only.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { connect, withConnection } from "@session-runtime/opencode/storage/connect";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { StorageError, toStorageError } from "@session-runtime/opencode/storage/errors";
import { type Environment, resolvePlaces } from "../host/places.ts";

/** Holds the value that was read from the host's own database, or the reason why it could not be read. */
type HostReading<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "missing"; readonly path: string; readonly reason: string };

/** Probes the columns that we read (OpenCode 1.18.33); a database without them counts as missing. */
const PROBES = [
  "SELECT id, title, revert FROM session LIMIT 0",
  "SELECT id, session_id, data FROM message LIMIT 0",
  "SELECT id, message_id, data FROM part LIMIT 0",
];

/**
 * Reads the host's database if it exists and has the columns that we know. Nothing else depends on it, so any fault
 * is only reported.
 */
export async function readHostHistory<T>(
  env: Environment,
  read: (driver: Driver) => T,
): Promise<HostReading<T>> {
  const path = join(resolvePlaces(env).hostData, "opencode.db");
  if (!existsSync(path)) return { kind: "missing", path, reason: "it does not exist" };
  try {
    const value = await withConnection(connect(path, "read"), (driver) => {
      for (const probe of PROBES) driver.all(probe);
      return driver.read(() => read(driver));
    });
    return { kind: "read", value };
  } catch (error) {
    return { kind: "missing", path, reason: describeReason(toStorageError(error, path)) };
  }
}

/** Returns SQLite's own message, since our texts are about our own database. */
function describeReason({ cause, message }: StorageError): string {
  if (cause instanceof StorageError) return describeReason(cause);
  return cause instanceof Error ? cause.message : message;
}

/** Returns the host's titles by session id; empty where its database can't be read. */
export async function hostTitles(env: Environment): Promise<ReadonlyMap<string, string>> {
  const found = await readHostHistory(env, titlesIn);
  return found.kind === "read" ? found.value : new Map();
}

function titlesIn(driver: Driver): ReadonlyMap<string, string> {
  const rows = driver.all("SELECT id, title FROM session");
  return new Map(rows.map(({ id, title }) => [String(id), String(title)]));
}
