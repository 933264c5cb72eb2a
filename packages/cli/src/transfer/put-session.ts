// Puts a session into a database, all of it or nothing.
import { isProcessDead } from "@session-runtime/opencode/features/inbox/process-id";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { readLiveLeases } from "@session-runtime/opencode/storage/session-list";
import {
  checkSessionRows,
  insertSessionRow,
  type SessionRow,
} from "@session-runtime/opencode/storage/session-rows";
import { removeSession } from "@session-runtime/opencode/storage/session-store";
import { schema } from "../database/schema.ts";

/** Holds the result of putting a session into a database. */
export type PutResult =
  | { readonly kind: "put" | "replaced"; readonly rows: number }
  /** The session exists, and was not to be replaced. */
  | { readonly kind: "exists" }
  /** A process has the session open. */
  | { readonly kind: "open"; readonly owner: string };

interface PutRequest {
  readonly sessionId: SessionId;
  /** The session's rows, in the current schema. */
  readonly rows: readonly SessionRow[];
  readonly whenThere: "keep" | "replace";
}

/**
 * Puts a session in, all of it or nothing, in one transaction. The stores read it back before the commit, so that
 * nothing gets in that the plugin could not read.
 * @throws StorageError for invalid rows
 */
export function putSession(driver: Driver, request: PutRequest): PutResult {
  const { sessionId, rows, whenThere } = request;
  return driver.transaction((): PutResult => {
    const isThere = driver.get("SELECT 1 AS found FROM session WHERE id = ?", sessionId) !== null;
    if (isThere && whenThere === "keep") return { kind: "exists" };
    const owner = readLiveLeases(driver, Date.now(), isProcessDead).get(sessionId);
    if (owner !== undefined) return { kind: "open", owner };
    if (isThere) removeSession(driver, sessionId);
    for (const row of rows) insertSessionRow(driver, schema, sessionId, row);
    checkSessionRows(driver, schema, sessionId);
    return { kind: isThere ? "replaced" : "put", rows: rows.length };
  });
}
