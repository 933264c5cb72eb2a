// A turn's plain columns.
import type { SqlRow } from "./driver.ts";
import type { SessionId, TurnCost, TurnFigures, TurnUsage } from "./records.ts";

/** The columns that `figuresOf` takes. */
export const TURN_FIGURES = `session_id, seq, epoch_seq, provider_id, model_id, agent, sent_at_ms,
  bust, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, paid_nanos, saved_nanos`;

/** All columns are plain, and the table is STRICT: SQLite has checked what a codec would. */
export function figuresOf(row: SqlRow): TurnFigures {
  return {
    sessionId: String(row.session_id) as SessionId,
    seq: Number(row.seq),
    epochSeq: Number(row.epoch_seq),
    providerId: String(row.provider_id),
    modelId: String(row.model_id),
    agent: String(row.agent),
    sentAtMs: Number(row.sent_at_ms),
    bust: row.bust === null ? null : String(row.bust),
    usage: usageOf(row),
    cost: costOf(row),
  };
}

/** The table's CHECK sees to it that both are there or none. */
export function costOf(row: SqlRow): TurnCost | null {
  if (row.paid_nanos === null) return null;
  return { paidNanos: Number(row.paid_nanos), savedNanos: Number(row.saved_nanos) };
}

/** The table's CHECK sees to it that all four are there or none. */
export function usageOf(row: SqlRow): TurnUsage | null {
  if (row.input_tokens === null) return null;
  return {
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cacheReadTokens: Number(row.cache_read_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
  };
}

/** All that a call has put before the model, however it was billed. */
export function contextTokens(
  usage: Pick<TurnUsage, "inputTokens" | "cacheReadTokens" | "cacheWriteTokens">,
): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}
