// The store of sessions.
import { branded, integer } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";
import type { SessionStore } from "./store.ts";
import { table } from "./table.ts";

interface SessionRecord {
  readonly id: SessionId;
  readonly createdAtMs: number;
  /** The highest seq of its epochs and entries, kept by triggers. */
  readonly headSeq: number;
}

export const sessionTable = table<SessionRecord>(
  "session",
  { id: branded(), createdAtMs: integer, headSeq: integer },
  {
    key: ["id"],
    sessionColumn: "id",
    exported: { kind: "in order", by: "id", derived: ["head_seq"] },
    activityColumn: null,
  },
);

export function sessionStore(driver: Driver): SessionStore {
  return { remove: (sessionId) => removeSession(driver, sessionId) };
}

/** The row that all others of a session refer to. */
export function ensureSession(driver: Driver, id: SessionId, createdAtMs: number): void {
  sessionTable.insert(driver, { id, createdAtMs }, "ON CONFLICT (id) DO NOTHING");
}

/** Rows of all tables that belong to a session go with it: their foreign keys lead here and cascade. */
export function removeSession(driver: Driver, sessionId: SessionId): void {
  driver.erase("DELETE FROM session WHERE id = ?", sessionId);
}
