// Finds the sessions that a process has open.
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";

/**
 * Limits how long an expired lease counts. A process that was held up (a sleeping laptop) has not renewed for
 * a while and still has its session open; after this time its number may belong to another process.
 */
const HELD_UP_MS = 24 * 60 * 60_000;

/** Returns the sessions that a process drives or has open, by owner. */
export function liveLeases(
  driver: Driver,
  nowMs: number,
  isGone: (owner: string) => boolean,
): ReadonlyMap<SessionId, string> {
  const rows = driver.all(
    "SELECT session_id, owner FROM session_lease WHERE expires_at_ms > ?",
    nowMs - HELD_UP_MS,
  );
  return new Map(
    rows
      .map(({ session_id, owner }) => [String(session_id) as SessionId, String(owner)] as const)
      .filter(([, owner]) => !isGone(owner)),
  );
}
