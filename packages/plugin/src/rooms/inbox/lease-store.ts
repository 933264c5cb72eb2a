// The store of leases.
import { branded, integer, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import { ensureSession } from "../../storage/session-store.ts";
import { table } from "../../storage/table.ts";

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

export interface LeaseRequest extends LeaseRecord {
  readonly nowMs: number;
  readonly isGone: (owner: string) => boolean;
}

/** Who drives a session. Each call is one short immediate transaction. */
export function leaseStore(driver: Driver) {
  return {
    /**
     * Takes or renews the lease until `expiresAtMs`. One that has expired by `nowMs`, or whose owner
     * `isGone`, is taken over.
     */
    acquire: (request: LeaseRequest) => driver.transaction(() => acquire(driver, request)),
    /** Another owner's lease stays. */
    release: (sessionId: SessionId, owner: string) =>
      driver.run("DELETE FROM session_lease WHERE session_id = ? AND owner = ?", sessionId, owner),
  };
}

const SELECT_LEASE = `SELECT ${leaseTable.columns} FROM session_lease WHERE session_id = ?`;

const TAKE_OVER = `
  ON CONFLICT (session_id) DO UPDATE SET owner = excluded.owner,
    expires_at_ms = excluded.expires_at_ms`;

function acquire(driver: Driver, request: LeaseRequest): "mine" | "held" {
  const { sessionId, owner, nowMs, expiresAtMs, isGone } = request;
  const row = driver.get(SELECT_LEASE, sessionId);
  if (row) {
    const held = leaseTable.read(row);
    const free = held.owner === owner || held.expiresAtMs <= nowMs || isGone(held.owner);
    if (!free) return "held";
  }
  ensureSession(driver, sessionId, nowMs);
  leaseTable.insert(driver, { sessionId, owner, expiresAtMs }, TAKE_OVER);
  return "mine";
}
