// The store of sessions; deleting one deletes its rows.
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";
import type { SessionStore } from "./store.ts";

// Turns are ranked from 1 and never leave singly, so the highest rank is their number.
const SELECT_SESSIONS = `
  SELECT id, created_at_ms,
    (SELECT coalesce(max(seq), 0) FROM turn WHERE turn.session_id = session.id) AS turns
  FROM session ORDER BY created_at_ms DESC, id`;

export function sessionStore(driver: Driver): SessionStore {
  return {
    list: () =>
      driver.all(SELECT_SESSIONS).map((row) => ({
        sessionId: String(row.id) as SessionId,
        createdAtMs: Number(row.created_at_ms),
        turns: Number(row.turns),
      })),
    // The foreign keys of all other tables lead here and cascade.
    remove: (sessionId) => driver.run("DELETE FROM session WHERE id = ?", sessionId),
  };
}

/** The row that all others of a session refer to. */
export function ensureSession(driver: Driver, sessionId: SessionId, createdAtMs: number): void {
  driver.run(
    "INSERT INTO session (id, created_at_ms) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
    sessionId,
    createdAtMs,
  );
}
