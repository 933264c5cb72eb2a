// Stores leases.
import { brandedText, integer, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import { ensureSession } from "../../storage/session-store.ts";
import { localSessionRules, type RowOf, table } from "../../storage/table.ts";

export const leaseTable = table(
  "session_lease",
  { sessionId: brandedText<SessionId>(), owner: text, expiresAtMs: integer },
  // A lease belongs to a process, not to the session.
  { key: ["sessionId"], ...localSessionRules },
);

export interface LeaseRequest extends RowOf<typeof leaseTable> {
  readonly nowMs: number;
  readonly isProcessDead: (owner: string) => boolean;
}

/** Stores which process drives a session. Each call is one short immediate transaction. */
export function createLeaseStore(driver: Driver) {
  const leases = leaseTable.in(driver);
  return {
    /**
     * Takes or renews the lease until `expiresAtMs`. A lease that has expired by `nowMs`, or whose owner
     * `isGone`, is taken over.
     */
    acquire: ({
      sessionId,
      owner,
      nowMs,
      expiresAtMs,
      isProcessDead,
    }: LeaseRequest): "mine" | "held" =>
      driver.transaction(() => {
        const held = leases.find({ sessionId });
        const isOurs = held === null || held.owner === owner;
        if (!isOurs && held.expiresAtMs > nowMs && !isProcessDead(held.owner)) return "held";
        ensureSession(driver, sessionId, nowMs);
        leases.upsert({ sessionId, owner, expiresAtMs });
        return "mine";
      }),
    /** Releases an owner's lease; a lease of any other owner stays. */
    release: (sessionId: SessionId, owner: string): void =>
      void leases.delete({ sessionId, owner }),
  };
}
