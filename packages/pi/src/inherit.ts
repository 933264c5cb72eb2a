// A fork's ledger: what its parent's was when it left, as its entries keep their ids.
import { readFileSync } from "node:fs";
import type { SessionId } from "../../plugin/src/storage/records.ts";
import type { RuntimeDatabase } from "../../plugin/src/storage/store.ts";

/**
 * The parent's epochs and entries become the fork's own, so that its first call continues the parent's
 * prefix. What stands on messages that the fork has left out is dormant. Once, while the fork has none.
 */
export function inheritLedger(
  { ledger }: RuntimeDatabase,
  parent: SessionId,
  sessionId: SessionId,
): void {
  if (ledger.load(sessionId).epochs.length > 0) return;
  const { epochs, entries } = ledger.load(parent);
  let expectedSeq = 0;
  for (const epoch of epochs) {
    const own = entries.filter(({ epochSeq }) => epochSeq === epoch.seq);
    const commit = {
      sessionId,
      expectedSeq,
      epoch: { ...epoch, sessionId },
      entries: own.map((entry) => ({ ...entry, sessionId })),
      settled: [],
    };
    if (ledger.commit(commit).kind !== "committed") return;
    expectedSeq = Math.max(epoch.seq, ...own.map(({ seq }) => seq));
  }
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
