// Holds a stored Baseline against what the newest call has sent: the row's checksum says what was written, not what was sent.
import { hashText } from "../context/canonical.ts";
import type { StorageError } from "./errors.ts";
import type { SoundLedger } from "./ledger-table.ts";
import type { SessionId } from "./records.ts";
import { damagedRow } from "./table.ts";
import type { TurnRecord } from "./turn-store.ts";

/**
 * A text that is damaged may still be a text: its digest, which each call leaves on record, shows it.
 * @returns the ledger without an epoch whose Baseline is another one, which `damaged` hears of
 */
export function withSentBaseline(
  sessionId: SessionId,
  ledger: SoundLedger,
  {
    newestTurn,
    damaged,
  }: {
    readonly newestTurn: TurnRecord | null;
    readonly damaged: (error: StorageError) => void;
  },
): SoundLedger {
  const epoch = ledger.epochs.find(({ seq }) => seq === newestTurn?.epochSeq);
  if (!newestTurn || !epoch || hashText(epoch.baseline) === newestTurn.digests.baseline) {
    return ledger;
  }
  const place = `epoch (${sessionId}, ${epoch.seq})`;
  damaged(damagedRow(place, "baseline is not the text that was sent"));
  return {
    ...ledger,
    epochs: ledger.epochs.filter((one) => one !== epoch),
    damagedSeqs: [...ledger.damagedSeqs, epoch.seq],
  };
}
