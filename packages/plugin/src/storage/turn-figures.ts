// A turn's plain columns, and what its figures come to. It loads no codec: who shows figures would wait.
import { branded, integer, orNull, sqlName, text } from "./column.ts";
import type { SqlRow } from "./driver.ts";
import type { SessionId, TurnCost, TurnUsage } from "./records.ts";

/** One provider turn: a model call of the main loop. */
export const figureColumns = {
  sessionId: branded<SessionId>(),
  /** Rank among the session's turns, from 1. */
  seq: integer,
  epochSeq: integer,
  providerId: text,
  modelId: text,
  agent: text,
  /** Unique in the session and rising with `seq`, also where the clock was set back. */
  sentAtMs: integer,
  /** Why the provider's cache of what was sent before can't have been used whole; null: no reason known. */
  bust: orNull(text),
  inputTokens: orNull(integer),
  outputTokens: orNull(integer),
  cacheReadTokens: orNull(integer),
  cacheWriteTokens: orNull(integer),
  paidNanos: orNull(integer),
  savedNanos: orNull(integer),
};

type FigureRow = {
  readonly [Name in keyof typeof figureColumns]: ReturnType<(typeof figureColumns)[Name]["decode"]>;
};

/** A turn as far as its bill goes: without what its history was made of. */
export type TurnFigures = Omit<FigureRow, keyof TurnUsage | keyof TurnCost> & {
  readonly usage: TurnUsage | null;
  /** Null while it is not settled, and where the host has no price. */
  readonly cost: TurnCost | null;
};

/** The columns that `figuresOf` takes. */
export const TURN_FIGURES = Object.keys(figureColumns).map(sqlName).join(", ");

/** All columns are plain, and the table is STRICT: SQLite has checked what a codec would. */
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

/** The table's CHECK sees to it that both are there or none. */
function toTurnCost(row: SqlRow): TurnCost | null {
  if (row.paid_nanos === null) return null;
  return { paidNanos: Number(row.paid_nanos), savedNanos: Number(row.saved_nanos) };
}

/** The table's CHECK sees to it that all four are there or none. */
function toUsage(row: SqlRow): TurnUsage | null {
  return row.input_tokens === null ? null : usageIn(row);
}

/** Of a call that was reported on, or summed over several. */
export function usageIn(row: SqlRow): TurnUsage {
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

/**
 * How the cause begins that is stored in place of a bust's where a rewrite of history gave the cache up,
 * knowingly: its figures stand in its own record. No list counts it as a bust.
 */
export const OWN_BUST = "old history was dropped";

export function isOwnBust(cause: string): boolean {
  return cause.startsWith(OWN_BUST);
}
