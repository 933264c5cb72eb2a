// The store of sessions.
import { brandedText, identifier, integer, nullable } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";
import { table } from "./table.ts";

export const sessionTable = table(
  "session",
  {
    id: brandedText<SessionId>(),
    createdAtMs: integer,
    /** The highest seq of the session's epochs and entries, kept by triggers. */
    headSeq: integer,
    /** The host that the session runs in; null means OpenCode. */
    harness: nullable(identifier),
  },
  {
    key: ["id"],
    sessionColumn: "id",
    exported: { kind: "in order", by: "id", derived: ["head_seq"] },
    activityColumn: null,
    sql: { columns: { headSeq: "DEFAULT 0 CHECK (head_seq >= 0)" } },
  },
);

export type SessionStore = ReturnType<typeof createSessionStore>;

export function createSessionStore(driver: Driver) {
  const sessions = sessionTable.in(driver);
  return {
    /** Records that the session runs in this host; sessions without a host run in OpenCode. */
    claim: (id: SessionId, harness: string, createdAtMs: number): void =>
      driver.transaction(() => {
        if (sessions.insertNew({ id, harness, createdAtMs }) !== null) return;
        if (sessions.find({ id })?.harness !== harness) sessions.update({ id }, { harness });
      }),
    /** Deletes all rows of the session in one transaction. */
    remove: (sessionId: SessionId) => removeSession(driver, sessionId),
  };
}

/** Inserts the row that all other rows of a session refer to, unless it exists. */
export function ensureSession(driver: Driver, id: SessionId, createdAtMs: number): void {
  sessionTable.in(driver).insertNew({ id, createdAtMs });
}

/** Deletes a session. Rows of all its tables go with it: their foreign keys lead here and cascade. */
export function removeSession(driver: Driver, id: SessionId): void {
  sessionTable.in(driver).erase({ id });
}
