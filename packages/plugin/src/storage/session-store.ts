// The store of sessions.
import { branded, integer, orNull, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";
import type { SessionStore } from "./store.ts";
import { table } from "./table.ts";

interface SessionRecord {
  readonly id: SessionId;
  readonly createdAtMs: number;
  /** The highest seq of its epochs and entries, kept by triggers. */
  readonly headSeq: number;
  /** Of the host that it runs in; null: OpenCode. */
  readonly harness: string | null;
}

export const sessionTable = table<SessionRecord>(
  "session",
  { id: branded(), createdAtMs: integer, headSeq: integer, harness: orNull(text) },
  {
    key: ["id"],
    sessionColumn: "id",
    exported: { kind: "in order", by: "id", derived: ["head_seq"] },
    activityColumn: null,
  },
);

export function sessionStore(driver: Driver): SessionStore {
  return {
    claim: (sessionId, harness, atMs) =>
      void sessionTable.insert(driver, { id: sessionId, harness, createdAtMs: atMs }, CLAIMED),
    remove: (sessionId) => removeSession(driver, sessionId),
  };
}

const CLAIMED =
  "ON CONFLICT (id) DO UPDATE SET harness = excluded.harness WHERE harness IS NOT excluded.harness";

/** The row that all others of a session refer to. */
export function ensureSession(driver: Driver, id: SessionId, createdAtMs: number): void {
  sessionTable.insert(driver, { id, createdAtMs }, "ON CONFLICT (id) DO NOTHING");
}

/** Rows of all tables that belong to a session go with it: their foreign keys lead here and cascade. */
export function removeSession(driver: Driver, sessionId: SessionId): void {
  driver.erase("DELETE FROM session WHERE id = ?", sessionId);
}
