// Holds a stored Baseline against what the newest call has sent.
import { hashText } from "../context/canonical.ts";
import type { SessionLedger } from "./ledger-table.ts";
import type { SessionId } from "./records.ts";
import { damagedRow } from "./table.ts";
import type { TurnRecord } from "./turn-store.ts";

/**
 * A text that is damaged may still be a text: its digest, which each call leaves on record, shows it.
 * @throws StorageError `corrupt`
 */
export function checkSentBaseline(
  sessionId: SessionId,
  { epochs }: SessionLedger,
  newestTurn: TurnRecord | null,
): void {
  const epoch = epochs.find(({ seq }) => seq === newestTurn?.epochSeq);
  if (!newestTurn || !epoch || hashText(epoch.baseline) === newestTurn.digests.baseline) return;
  throw damagedRow(`epoch (${sessionId}, ${epoch.seq})`, "baseline is not the text that was sent");
}
