// A turn's plain columns and their totals. Loads no codec, which would delay commands that show figures.
import { brandedText, integer, nullable, text, toSqlName } from "./column.ts";
import type { SqlRow } from "./driver.ts";
import type { SessionId, TurnCost, TurnUsage } from "./records.ts";

/** Lists the columns of a provider turn, which is a model call of the main loop. */
export const figureColumns = {
  sessionId: brandedText<SessionId>(),
  /** The turn's rank among the session's turns, from 1. */
  seq: integer,
  epochSeq: integer,
  providerId: text,
  modelId: text,
  agent: text,
  /** Unique in the session and rising with `seq`, even where the clock was set back. */
  sentAtMs: integer,
  /** Names why the provider's cache can't have been used in full; null if no reason is known. */
  bust: nullable(text),
  inputTokens: nullable(integer),
  outputTokens: nullable(integer),
  cacheReadTokens: nullable(integer),
  cacheWriteTokens: nullable(integer),
  paidNanos: nullable(integer),
  savedNanos: nullable(integer),
};

type FigureRow = {
  readonly [Name in keyof typeof figureColumns]: ReturnType<(typeof figureColumns)[Name]["decode"]>;
};

/** Holds the figures of a turn's bill, without what its history consisted of. */
export type TurnFigures = Omit<FigureRow, keyof TurnUsage | keyof TurnCost> & {
  readonly usage: TurnUsage | null;
  /** The turn's cost; null while the turn is not settled, or if the host has no price. */
  readonly cost: TurnCost | null;
};

/** Lists the columns that `toTurnFigures` reads. */
export const TURN_FIGURE_COLUMNS = Object.keys(figureColumns).map(toSqlName).join(", ");

/** Reads a row. All columns are plain, and the table is STRICT, so SQLite has checked what a codec would. */
export function toTurnFigures(row: SqlRow): TurnFigures {
  return {
    sessionId: String(row.session_id) as SessionId,
    seq: Number(row.seq),
    epochSeq: Number(row.epoch_seq),
    providerId: String(row.provider_id),
    modelId: String(row.model_id),
    agent: String(row.agent),
    sentAtMs: Number(row.sent_at_ms),
    bust: row.bust === null ? null : String(row.bust),
    usage: toUsage(row),
    cost: toTurnCost(row),
  };
}

/** Reads the cost; the table's CHECK ensures that both columns have values or neither. */
function toTurnCost(row: SqlRow): TurnCost | null {
  if (row.paid_nanos === null) return null;
  return { paidNanos: Number(row.paid_nanos), savedNanos: Number(row.saved_nanos) };
}

/** Reads the usage; the table's CHECK ensures that all four columns have values or none. */
function toUsage(row: SqlRow): TurnUsage | null {
  return row.input_tokens === null ? null : readUsage(row);
}

/** Reads the usage of a reported call, or a sum over several. */
export function readUsage(row: SqlRow): TurnUsage {
  return {
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cacheReadTokens: Number(row.cache_read_tokens),
    cacheWriteTokens: Number(row.cache_write_tokens),
  };
}

/** Adds up all tokens that a call has put before the model, however they were billed. */
export function sumContextTokens(
  usage: Pick<TurnUsage, "inputTokens" | "cacheReadTokens" | "cacheWriteTokens">,
): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/**
 * Begins the stored cause of a call whose rewrite of history gave up the cache on purpose; the rewrite's
 * figures are in its own record. No list counts such a call as a bust.
 */
export const OWN_BUST_CAUSE = "old history was dropped";

export function isOwnBust(cause: string): boolean {
  return cause.startsWith(OWN_BUST_CAUSE);
}
