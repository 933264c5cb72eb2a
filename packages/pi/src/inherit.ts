// A fork's ledger: what its parent's was when it left, as its entries keep their ids.
import { readFileSync } from "node:fs";
import type { Notice } from "../../plugin/src/log/notices.ts";
import type { Driver } from "../../plugin/src/storage/driver.ts";
import type { LedgerCommit } from "../../plugin/src/storage/ledger-store.ts";
import type { SessionLedger } from "../../plugin/src/storage/ledger-table.ts";
import type { SessionId } from "../../plugin/src/storage/records.ts";
import type { RuntimeDatabase } from "../../plugin/src/storage/store.ts";

/** Made once for a connection. */
const atOnce = (driver: Driver) => driver.transaction;

/**
 * The parent's epochs and entries become the fork's own, so that its first call continues the parent's
 * prefix. What stands on messages that the fork has left out is dormant. Once, while the fork has none.
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

/** The provider's cache has what the parent sent: what the fork begins with instead is new to it. */
export const notInherited: Notice = {
  code: "fork_not_inherited",
  severity: "warning",
  ends: "with the instance",
  message:
    "What Session Runtime keeps of the session that this one was forked from can't be read, so the fork begins without it: its first call is billed in full.",
  remedy: "The log says why, and `session-runtime doctor` checks the database.",
};

/** By rank, and not by epoch: after an undo, entries of a former epoch stand beyond a later one's beginning. */
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

/** The id of the session that a file of Pi's holds; null where it can't be read. */
export function sessionIn(path: string): SessionId | null {
  try {
    const [line = ""] = readFileSync(path, "utf8").split("\n", 1);
    const header: unknown = JSON.parse(line);
    const id: unknown = typeof header === "object" && header !== null && Reflect.get(header, "id");
    return typeof id === "string" ? (id as SessionId) : null;
  } catch {
    // A parent that was deleted leaves the fork on its own.
    return null;
  }
}
