// The store of provider turns.
import * as z from "zod";
import { decodeRow, jsonColumn, storedDigests, storedMessageIds, toJson } from "./codec.ts";
import type { Driver, SqlRow } from "./driver.ts";
import type { SessionId, TurnOutcome, TurnRecord } from "./records.ts";
import type { TurnStore } from "./store.ts";
import { figuresOf, TURN_FIGURES, usageOf } from "./turn-figures.ts";

export function turnStore(driver: Driver): TurnStore {
  return {
    append: (turn) => append(driver, turn),
    settle: (sessionId, outcome) => settle(driver, sessionId, outcome),
    recent: (sessionId, count) => driver.all(SELECT_RECENT, sessionId, count).map(turnOf),
    figures: (sessionId) => driver.all(SELECT_FIGURES, sessionId).map(figuresOf),
    sentMessageIds: (sessionId, epochSeq) => sentMessageIds(driver, sessionId, epochSeq),
  };
}

const INSERT_TURN = `
  INSERT INTO turn (session_id, seq, epoch_seq, provider_id, model_id, agent, sent_at_ms,
    new_message_ids, digests, bust)
  VALUES (?, (SELECT coalesce(max(seq), 0) + 1 FROM turn WHERE session_id = ?), ?, ?, ?, ?, ?, ?, ?,
    ?)
  ON CONFLICT (session_id, sent_at_ms) DO NOTHING`;

function append(driver: Driver, turn: Omit<TurnRecord, "seq" | "usage">): void {
  driver.run(
    INSERT_TURN,
    turn.sessionId,
    turn.sessionId,
    turn.epochSeq,
    turn.providerId,
    turn.modelId,
    turn.agent,
    turn.sentAtMs,
    toJson("turn.new_message_ids", storedMessageIds, turn.newMessageIds),
    toJson("turn.digests", storedDigests, turn.digests),
    turn.bust,
  );
}

const SETTLE = `
  UPDATE turn SET input_tokens = ?, output_tokens = ?, cache_read_tokens = ?,
    cache_write_tokens = ?, bust = coalesce(?, bust, ?)
  WHERE session_id = ? AND sent_at_ms = ? AND input_tokens IS NULL`;

function settle(driver: Driver, sessionId: SessionId, outcome: TurnOutcome): void {
  const { usage, bust, sentAtMs } = outcome;
  driver.run(
    SETTLE,
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadTokens,
    usage.cacheWriteTokens,
    bust?.kind === "known" ? bust.cause : null,
    bust?.kind === "guessed" ? bust.cause : null,
    sessionId,
    sentAtMs,
  );
}

const SELECT_RECENT = `
  SELECT session_id, seq, epoch_seq, provider_id, model_id, agent, sent_at_ms, new_message_ids,
    digests, bust, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens
  FROM turn WHERE session_id = ? ORDER BY seq DESC LIMIT ?`;

const turnRow = z.object({
  session_id: z.custom<SessionId>(),
  seq: z.int(),
  epoch_seq: z.int(),
  provider_id: z.string(),
  model_id: z.string(),
  agent: z.string(),
  sent_at_ms: z.int(),
  new_message_ids: jsonColumn(storedMessageIds),
  digests: jsonColumn(storedDigests),
  bust: z.string().nullable(),
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  cache_read_tokens: z.int().nullable(),
  cache_write_tokens: z.int().nullable(),
});

function turnOf(sql: SqlRow): TurnRecord {
  const row = decodeRow("turn", turnRow, sql);
  return {
    sessionId: row.session_id,
    seq: row.seq,
    epochSeq: row.epoch_seq,
    providerId: row.provider_id,
    modelId: row.model_id,
    agent: row.agent,
    sentAtMs: row.sent_at_ms,
    newMessageIds: row.new_message_ids,
    digests: row.digests,
    bust: row.bust,
    usage: usageOf(sql),
  };
}

const SELECT_FIGURES = `
  SELECT ${TURN_FIGURES} FROM turn WHERE session_id = ? ORDER BY seq DESC`;

const SELECT_SENT = `
  SELECT session_id, seq, new_message_ids FROM turn
  WHERE session_id = ? AND epoch_seq = ? AND new_message_ids <> '[]'`;

const sentRow = turnRow.pick({ new_message_ids: true });

function sentMessageIds(driver: Driver, sessionId: SessionId, epochSeq: number): Set<string> {
  const rows = driver.all(SELECT_SENT, sessionId, epochSeq);
  return new Set(rows.flatMap((row) => decodeRow("turn", sentRow, row).new_message_ids));
}
