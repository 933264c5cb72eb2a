// The store of leases.
import type { Driver } from "./driver.ts";
import type { LeaseAnswer, LeaseStore } from "./inbox-records.ts";
import { ensureSession } from "./session-store.ts";

type Request = Parameters<LeaseStore["acquire"]>[0];

export function leaseStore(driver: Driver): LeaseStore {
  return {
    acquire: (request) => driver.transaction(() => acquire(driver, request)),
    release: (sessionId, owner) =>
      driver.run("DELETE FROM session_lease WHERE session_id = ? AND owner = ?", sessionId, owner),
  };
}

const SELECT_LEASE = "SELECT owner, expires_at_ms FROM session_lease WHERE session_id = ?";

const TAKE = `
  INSERT INTO session_lease (session_id, owner, expires_at_ms) VALUES (?, ?, ?)
  ON CONFLICT (session_id) DO UPDATE SET owner = excluded.owner,
    expires_at_ms = excluded.expires_at_ms`;

function acquire(driver: Driver, request: Request): LeaseAnswer {
  const { sessionId, owner, nowMs, expiresAtMs, isGone } = request;
  const row = driver.get(SELECT_LEASE, sessionId);
  if (row) {
    const held = { owner: String(row.owner), expiresAtMs: Number(row.expires_at_ms) };
    const free = held.owner === owner || held.expiresAtMs <= nowMs || isGone(held.owner);
    if (!free) return { kind: "held", ...held };
  }
  ensureSession(driver, sessionId, nowMs);
  driver.run(TAKE, sessionId, owner, expiresAtMs);
  return { kind: "mine" };
}
