// The store of leases.
import { branded, integer, text } from "../storage/column.ts";
import type { Driver } from "../storage/driver.ts";
import type { SessionId } from "../storage/records.ts";
import { ensureSession } from "../storage/session-store.ts";
import { table } from "../storage/table.ts";
import type { LeaseAnswer, LeaseStore } from "./records.ts";

interface LeaseRecord {
  readonly sessionId: SessionId;
  readonly owner: string;
  readonly expiresAtMs: number;
}

export const leaseTable = table<LeaseRecord>(
  "session_lease",
  { sessionId: branded(), owner: text, expiresAtMs: integer },
  {
    key: ["sessionId"],
    sessionColumn: "session_id",
    // It belongs to a process, not to the session.
    exported: { kind: "never" },
    activityColumn: null,
  },
);

type Request = Parameters<LeaseStore["acquire"]>[0];

export function leaseStore(driver: Driver): LeaseStore {
  return {
    acquire: (request) => driver.transaction(() => acquire(driver, request)),
    release: (sessionId, owner) =>
      driver.run("DELETE FROM session_lease WHERE session_id = ? AND owner = ?", sessionId, owner),
  };
}

const SELECT_LEASE = `SELECT ${leaseTable.columns} FROM session_lease WHERE session_id = ?`;

const TAKE_OVER = `
  ON CONFLICT (session_id) DO UPDATE SET owner = excluded.owner,
    expires_at_ms = excluded.expires_at_ms`;

function acquire(driver: Driver, request: Request): LeaseAnswer {
  const { sessionId, owner, nowMs, expiresAtMs, isGone } = request;
  const row = driver.get(SELECT_LEASE, sessionId);
  if (row) {
    const held = leaseTable.read(row);
    const free = held.owner === owner || held.expiresAtMs <= nowMs || isGone(held.owner);
    if (!free) return { kind: "held", owner: held.owner, expiresAtMs: held.expiresAtMs };
  }
  ensureSession(driver, sessionId, nowMs);
  leaseTable.insert(driver, { sessionId, owner, expiresAtMs }, TAKE_OVER);
  return { kind: "mine" };
}
