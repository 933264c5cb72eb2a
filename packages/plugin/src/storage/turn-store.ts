// The store of turns and their costs; checks a stored Baseline against what the newest call sent.
import { hashText } from "../context/canonical.ts";
import { json, storedDigestsSchema, storedMessageIdsSchema } from "./column.ts";
import type { Driver, SqlRow } from "./driver.ts";
import type { StorageError } from "./errors.ts";
import type { SoundLedger } from "./ledger-table.ts";
import { readUpdateBytes } from "./overview-records.ts";
import type { SessionId, TurnOutcome, UpdateBytes } from "./records.ts";
import { createDamagedRowError, type RowOf, sessionRules, table } from "./table.ts";
import { figureColumns, type TurnFigures, toTurnFigures } from "./turn-figures.ts";

export const turnTable = table(
  "turn",
  {
    ...figureColumns,
    /** Ids of the messages that no earlier turn of this epoch had sent. */
    newMessageIds: json(storedMessageIdsSchema),
    digests: json(storedDigestsSchema),
  },
  {
    ...{ key: ["sessionId", "seq"], ...sessionRules({ by: "seq" }), activityColumn: "sent_at_ms" },
    sql: {
      columns: { seq: "CHECK (seq >= 1)" },
      constraints: [
        "UNIQUE (session_id, sent_at_ms)",
        "FOREIGN KEY (session_id, epoch_seq) REFERENCES epoch (session_id, seq) ON DELETE CASCADE",
        `CHECK ((input_tokens IS NULL) + (output_tokens IS NULL)
    + (cache_read_tokens IS NULL) + (cache_write_tokens IS NULL) IN (0, 4))`,
        "CHECK ((paid_nanos IS NULL) = (saved_nanos IS NULL))",
      ],
      extras: "CREATE INDEX turn_by_epoch ON turn (session_id, epoch_seq);",
    },
  },
);

export type TurnRecord = TurnFigures & Pick<RowOf<typeof turnTable>, "newMessageIds" | "digests">;

const rankSelection = turnTable.pick("seq");

const historySelection = turnTable.pick("newMessageIds", "digests");

const SELECT_RECENT_TURNS = `
  SELECT ${turnTable.columns} FROM turn WHERE session_id = ? ORDER BY seq DESC LIMIT`;

const sentSelection = turnTable.pick("newMessageIds");

const SELECT_SENT_MESSAGE_IDS = `
  SELECT ${sentSelection.columns} FROM turn
  WHERE session_id = ? AND epoch_seq = ? AND new_message_ids <> '[]'`;

export type TurnStore = ReturnType<typeof createTurnStore>;

/** Stores provider turns, after the send. Each belongs to a stored epoch. */
export function createTurnStore(driver: Driver) {
  const turns = turnTable.in(driver);
  return {
    /** Stores a turn under the next rank; a second row for the same session and `sentAtMs` is not written. */
    append: (turn: Omit<TurnRecord, "seq" | "usage" | "cost">): void =>
      driver.transaction(() => {
        const newest = rankSelection.in(driver).find({ sessionId: turn.sessionId }, "seq desc");
        turns.insertNew({ ...turn, seq: (newest?.seq ?? 0) + 1 });
      }),
    /** Gives a turn its usage if it has none yet; a second report changes nothing. */
    settle: (sessionId: SessionId, { usage, cost, bust, sentAtMs }: TurnOutcome): void =>
      driver.transaction(() => {
        const unsettled = { sessionId, sentAtMs, inputTokens: null };
        if (bust?.kind === "guessed")
          turns.update({ ...unsettled, bust: null }, { bust: bust.cause });
        const known = bust?.kind === "known" ? { bust: bust.cause } : {};
        turns.update(unsettled, { ...usage, ...cost, ...known });
      }),
    /** Returns the update bytes of the turn that `sentAtMs` identifies; zeros if there is none. */
    updateBytes: (sessionId: SessionId, sentAtMs: number): UpdateBytes =>
      readUpdateBytes(driver, sessionId, sentAtMs),
    /** Returns the newest turns, newest first. */
    recent: (sessionId: SessionId, count: number): readonly TurnRecord[] =>
      // The limit is written out: with a bound one SQLite plans the statement at each call.
      driver.all(`${SELECT_RECENT_TURNS} ${count}`, sessionId).map(toTurnRecord),
    /** Returns every message id that this epoch's turns have sent. */
    sentMessageIds: (sessionId: SessionId, epochSeq: number): ReadonlySet<string> =>
      new Set(
        driver
          .all(SELECT_SENT_MESSAGE_IDS, sessionId, epochSeq)
          .flatMap((row) => sentSelection.read(row).newMessageIds),
      ),
  };
}

function toTurnRecord(row: SqlRow): TurnRecord {
  return { ...toTurnFigures(row), ...historySelection.read(row) };
}

// Checks a stored Baseline against the digest that the newest call recorded of what it sent.

/**
 * Drops an epoch whose Baseline is not what the newest call sent. A row's checksum covers what was written;
 * only the digest that each call records shows a damaged text that still decodes.
 * @returns the ledger without such an epoch, which is reported to `damaged`
 */
export function dropMismatchedBaseline(
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
  damaged(createDamagedRowError(place, "baseline is not the text that was sent"));
  return {
    ...ledger,
    epochs: ledger.epochs.filter((one) => one !== epoch),
    damagedSeqs: [...ledger.damagedSeqs, epoch.seq],
  };
}
