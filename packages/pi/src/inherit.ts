// Copies a parent's ledger into its fork, up to the point where the fork left; entries keep their ids.
import { readFileSync } from "node:fs";
import type { Notice } from "@session-runtime/opencode/log/notices";
import type { RuntimeDatabase } from "@session-runtime/opencode/storage/database";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import type { LedgerCommit } from "@session-runtime/opencode/storage/ledger-store";
import type { SessionLedger } from "@session-runtime/opencode/storage/ledger-table";
import type { SessionId } from "@session-runtime/opencode/storage/records";

/** Runs a transaction; made once per connection. */
const atOnce = (driver: Driver) => driver.transaction;

/**
 * Copies the parent's epochs and entries into the fork, so that its first call continues the parent's prefix.
 * Entries of messages that the fork has left out are dormant. It runs once, while the fork has no ledger.
 */
export function inheritLedger(
  database: RuntimeDatabase,
  parent: SessionId,
  sessionId: SessionId,
): void {
  const { ledger } = database;
  if (ledger.load(sessionId).epochs.length > 0) return;
  const commits = toCommits(ledger.load(parent), sessionId);
  database.store(atOnce)(() => {
    for (const commit of commits) if (ledger.commit(commit).kind !== "committed") return;
  });
}

/** Warns that the fork does not continue the parent's prefix, which is what the provider's cache has. */
export const notInherited: Notice = {
  code: "fork_not_inherited",
  severity: "warning",
  ends: "with the instance",
  message:
    "Session Runtime's data on the session that this one was forked from can't be read, so the fork begins without it: its first call is billed in full.",
  remedy: "The log says why, and `session-runtime doctor` checks the database.",
};

/**
 * Orders commits by rank, not by epoch: after an undo, entries of an earlier epoch come after a later one's
 * start.
 */
function toCommits(
  { epochs, entries }: SessionLedger,
  sessionId: SessionId,
): readonly LedgerCommit[] {
  return epochs.map((epoch, at) => {
    const end = epochs[at + 1]?.seq ?? Number.POSITIVE_INFINITY;
    const own = entries.filter(({ seq }) => seq > epoch.seq && seq < end);
    return {
      sessionId,
      expectedSeq: epoch.seq - 1,
      epoch: { ...epoch, sessionId },
      entries: own.map((entry) => ({ ...entry, sessionId })),
    };
  });
}

/** Returns the id of the session in a file of Pi's; null where it can't be read. */
export function sessionIn(path: string): SessionId | null {
  try {
    const [line = ""] = readFileSync(path, "utf8").split("\n", 1);
    const header: unknown = JSON.parse(line);
    const id: unknown = typeof header === "object" && header !== null && Reflect.get(header, "id");
    return typeof id === "string" ? (id as SessionId) : null;
  } catch {
    // A parent that was deleted leaves the fork without an inheritance.
    return null;
  }
}
