// Checks a stored Baseline against the digest that the newest call recorded of what it sent.
import { hashText } from "../context/canonical.ts";
import type { StorageError } from "./errors.ts";
import type { SoundLedger } from "./ledger-table.ts";
import type { SessionId } from "./records.ts";
import { damagedRow } from "./table.ts";
import type { TurnRecord } from "./turn-store.ts";

/**
 * Drops an epoch whose Baseline was not what the newest call sent. A row's checksum covers what was written;
 * only the digest that each call records shows a damaged text that still decodes.
 * @returns the ledger without such an epoch, which is reported to `damaged`
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
