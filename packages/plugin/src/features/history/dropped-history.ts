// Reads what of a session's history is folded and dropped now, with the texts that replace it.
import type { EditOf } from "../../ledger/edit.ts";
import { deriveRef } from "../../ledger/ref.ts";
import type { ActiveLedger } from "../../status/active-ledger.ts";
import type { Driver } from "../../storage/driver.ts";
import { entryTable } from "../../storage/ledger-table.ts";
import type { SessionId } from "../../storage/records.ts";
import { isRewriting } from "./figures.ts";

interface DroppedPart {
  /** `ctx_expand` shows the part itself by this ref. */
  readonly ref: string;
  readonly messageId: string;
  /** The text that replaces the part; null if nothing does. */
  readonly stub: string | null;
}

export interface DroppedHistory {
  /** Folds in the order of the history. */
  readonly folds: readonly EditOf<"fold">[];
  readonly drops: readonly DroppedPart[];
}

const ENTRY = entryTable.pick("seq", "origin", "edit", "messageId", "partId");

/** Without the host's history (`shown` is null) it reads all of the epoch that the newest call was in. */
export function droppedHistoryReader(driver: Driver) {
  return (sessionId: SessionId, shown: ActiveLedger | null): DroppedHistory => {
    const epochSeq = shown?.epochSeq ?? Number(driver.get(SELECT_EPOCH, sessionId)?.seq ?? 0);
    const entries = driver
      .all(SELECT_ENTRIES, sessionId, epochSeq)
      .map(ENTRY.read)
      .filter((entry) => isRewriting(entry) && (!shown || shown.entrySeqs.has(entry.seq)));
    return {
      folds: entries.flatMap(({ edit }) => (edit?.verb === "fold" ? [edit] : [])),
      drops: entries.flatMap(({ edit }): readonly DroppedPart[] => {
        if (edit?.verb !== "replace" && edit?.verb !== "omit") return [];
        const { messageId, partId } = edit.at;
        const stub = edit.verb === "replace" ? edit.text : null;
        return [{ ref: deriveRef("r", partId), messageId, stub }];
      }),
    };
  };
}

const SELECT_EPOCH = `
  SELECT coalesce(
    (SELECT epoch_seq FROM turn WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1),
    (SELECT max(seq) FROM epoch WHERE session_id = ?1)) AS seq`;

const SELECT_ENTRIES = `
  SELECT ${ENTRY.columns} FROM entry
  WHERE session_id = ? AND epoch_seq = ? AND edit IS NOT NULL ORDER BY seq`;
