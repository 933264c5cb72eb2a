// The store of turns, and what they cost.
import { json, storedDigests, storedMessageIds } from "./codec.ts";
import type { Driver, SqlRow } from "./driver.ts";
import type { SessionId, TurnOutcome, TurnRecord } from "./records.ts";
import { updateBytesOf } from "./spared-calls.ts";
import type { TurnStore } from "./store.ts";
import { table } from "./table.ts";
import { figureColumns, figuresOf } from "./turn-figures.ts";

export const turnTable = table(
  "turn",
  {
    ...figureColumns,
    newMessageIds: json(storedMessageIds),
    digests: json(storedDigests),
  },
  {
    key: ["sessionId", "seq"],
    sessionColumn: "session_id",
    exported: { kind: "in order", by: "seq" },
    activityColumn: "sent_at_ms",
  },
);

export function turnStore(driver: Driver): TurnStore {
  return {
    append: (turn) => driver.transaction(() => append(driver, turn)),
    settle: (sessionId, outcome) => settle(driver, sessionId, outcome),
    updateBytes: (sessionId, sentAtMs) => updateBytesOf(driver, sessionId, sentAtMs),
    recent: (sessionId, count) => driver.all(SELECT_RECENT, sessionId, count).map(turnOf),
    sentMessageIds: (sessionId, epochSeq) => sentMessageIds(driver, sessionId, epochSeq),
  };
}

const NEXT_SEQ = "SELECT coalesce(max(seq), 0) + 1 AS seq FROM turn WHERE session_id = ?";

function append(driver: Driver, turn: Omit<TurnRecord, "seq" | "usage" | "cost">): void {
  const seq = Number(driver.get(NEXT_SEQ, turn.sessionId)?.seq);
  turnTable.insert(driver, { ...turn, seq }, "ON CONFLICT (session_id, sent_at_ms) DO NOTHING");
}

const SETTLE = `
  UPDATE turn SET input_tokens = ?, output_tokens = ?, cache_read_tokens = ?,
    cache_write_tokens = ?, paid_nanos = ?, saved_nanos = ?, bust = coalesce(?, bust, ?)
  WHERE session_id = ? AND sent_at_ms = ? AND input_tokens IS NULL`;

function settle(driver: Driver, sessionId: SessionId, outcome: TurnOutcome): void {
  const { usage, cost, bust, sentAtMs } = outcome;
  driver.run(
    SETTLE,
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadTokens,
    usage.cacheWriteTokens,
    cost?.paidNanos ?? null,
    cost?.savedNanos ?? null,
    bust?.kind === "known" ? bust.cause : null,
    bust?.kind === "guessed" ? bust.cause : null,
    sessionId,
    sentAtMs,
  );
}

const SELECT_RECENT = `
  SELECT ${turnTable.columns} FROM turn WHERE session_id = ? ORDER BY seq DESC LIMIT ?`;

const history = turnTable.pick("newMessageIds", "digests");

function turnOf(row: SqlRow): TurnRecord {
  return { ...figuresOf(row), ...history.read(row) };
}

const sent = turnTable.pick("newMessageIds");

const SELECT_SENT = `
  SELECT ${sent.columns} FROM turn
  WHERE session_id = ? AND epoch_seq = ? AND new_message_ids <> '[]'`;

function sentMessageIds(driver: Driver, sessionId: SessionId, epochSeq: number): Set<string> {
  const rows = driver.all(SELECT_SENT, sessionId, epochSeq);
  return new Set(rows.flatMap((row) => sent.read(row).newMessageIds));
}
