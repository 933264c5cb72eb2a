// A session's overview in figures, keys and sizes, without its texts.
import type { Driver, SqlRow } from "./driver.ts";
import type { EntryForm } from "./form-store.ts";
import type { EpochCause, SessionId, TurnUsage, UpdateBytes } from "./records.ts";
import type { TurnFigures } from "./turn-figures.ts";

/** Holds what status shows of a session: figures, keys and sizes, none of its texts. */
export interface SessionOverview {
  /** The host that the session runs in; null means OpenCode. */
  readonly harness: string | null;
  /** The session's epochs, by rank. */
  readonly epochs: readonly EpochOverview[];
  /** The ledger's entries, by rank. */
  readonly entries: readonly EntryOverview[];
  /** The newest calls, newest first, up to the requested number. */
  readonly calls: readonly CallOverview[];
  /** Totals over all calls of the session. */
  readonly totals: CallTotals;
  readonly bill: BillOverview;
  /** The calls that busted the cache, newest first. */
  readonly busts: readonly CallOverview[];
  /** The brief that the newest compaction received; null if there was none. */
  readonly brief: BriefOverview | null;
  readonly inbox: InboxCounts;
  /** Updates that were ever sent in the model's own role, by rank; all others were sent only as text. */
  readonly forms: readonly FormOverview[];
}

export interface FormOverview {
  readonly entrySeq: number;
  /** The model as `provider/model`. */
  readonly model: string;
  readonly form: EntryForm;
}

export interface EpochOverview {
  readonly seq: number;
  readonly cause: EpochCause;
  readonly directory: string;
  readonly startedAtMs: number;
  /** The Baseline's size in UTF-8. */
  readonly baselineBytes: number;
  /** The Baseline's xxHash64, 16 hex digits. */
  readonly baselineHash: string;
  /** The keys that the Baseline or its snapshot holds. */
  readonly keys: readonly string[];
}

export interface EntryOverview {
  readonly seq: number;
  readonly epochSeq: number;
  readonly decidedAtMs: number;
  /** The inserted text's size in UTF-8; null if nothing is inserted. */
  readonly insertBytes: number | null;
  /** The size of a fold's text in UTF-8; null if nothing is folded. */
  readonly foldBytes: number | null;
  /** The keys of the announced texts. */
  readonly announcedKeys: readonly string[];
  readonly changes: readonly KeyChange[];
}

/** Says what an entry does to a key of the snapshot. */
export interface KeyChange {
  readonly key: string;
  readonly effect: "stated" | "removed";
}

export interface CallOverview extends TurnFigures {
  /**
   * Tokens that the same model's previous call could leave in the cache (read + written); null if unknown.
   */
  readonly readableTokens: number | null;
}

export interface CallTotals extends TurnUsage {
  readonly calls: number;
  /** Counts the calls whose usage the provider has reported. */
  readonly reported: number;
}

/**
 * Compares what was paid with an estimate of what OpenCode alone would have paid, in billionths of a US
 * dollar.
 */
export interface BillOverview {
  /** Counts the calls that the host has a price for. */
  readonly priced: number;
  readonly paidNanos: number;
  /** The saving; negative if OpenCode alone would have paid less. */
  readonly savedNanos: number;
  readonly spared: SparedCalls;
}

/** Counts calls that announced a change which OpenCode alone would have made in its system prompt. */
export interface SparedCalls {
  readonly calls: number;
  /** Tokens that these calls still read from the cache. */
  readonly tokens: number;
}

export interface BriefOverview {
  readonly madeAtMs: number;
  /** The brief's size in UTF-8. */
  readonly bytes: number;
  /** The workflow's stage; null outside of a workflow. */
  readonly stage: string | null;
}

/** Lists the states of an input that is not over. */
export const openInputStates = ["waiting", "handed", "saved", "promoted", "refused"] as const;

/** Counts the inputs in each open state. */
export type InboxCounts = Readonly<Record<(typeof openInputStates)[number], number>>;

export interface OverviewStore {
  /** Reads a session's overview from one state of the database; empty for an unknown session. */
  of(sessionId: SessionId, callCount: number): SessionOverview;
}

// Counts calls that announced a change which OpenCode alone would have made in its system prompt.

/**
 * Lists what OpenCode renders into its system prompt at every call. It also renders the model's name, but
 * caches are per model.
 */
const RENDERED_KEYS = [
  "core/date",
  "core/environment",
  "core/instructions",
  "core/references",
  "core/mcp",
  "core/skills",
];

const RENDERED_KEY_CONDITION = `json_extract(text.value, '$.key')
  IN (${RENDERED_KEYS.map((key) => `'${key}'`).join(", ")})`;

const SPARED_CALL_COLUMNS = "count(*) AS calls, coalesce(sum(turn.cache_read_tokens), 0) AS tokens";

/** Joins entries to their calls: a boundary commits its announcements under the time of its call. */
const FROM_ANNOUNCING_CALLS = `
  FROM (
    SELECT DISTINCT entry.session_id, entry.decided_at_ms FROM entry, json_each(entry.announced) AS text
    WHERE entry.edit IS NOT NULL AND ${RENDERED_KEY_CONDITION}
  ) AS announced
  JOIN turn ON turn.session_id = announced.session_id AND turn.sent_at_ms = announced.decided_at_ms
  WHERE turn.input_tokens IS NOT NULL`;

/** Selects the figures in one row; a further condition can narrow them down. */
export const SELECT_SPARED_CALLS = `SELECT ${SPARED_CALL_COLUMNS} ${FROM_ANNOUNCING_CALLS}`;

export function toSparedCalls(row: SqlRow | null): SparedCalls {
  return {
    calls: Number(row?.calls ?? 0),
    tokens: Number(row?.tokens ?? 0),
  };
}

const SELECT_UPDATE_BYTES = `
  SELECT coalesce(sum(bytes) FILTER (WHERE is_new), 0) AS announced,
    coalesce(sum(bytes) FILTER (WHERE NOT is_new), 0) AS carried
  FROM (
    SELECT length(CAST(json_extract(entry.edit, '$.text') AS BLOB)) AS bytes,
      entry.decided_at_ms = turn.sent_at_ms AS is_new
    FROM turn JOIN entry ON entry.session_id = turn.session_id AND entry.epoch_seq = turn.epoch_seq
      AND entry.decided_at_ms <= turn.sent_at_ms
    WHERE turn.session_id = ? AND turn.sent_at_ms = ?
      AND json_extract(entry.edit, '$.verb') = 'insert'
      AND EXISTS (SELECT 1 FROM json_each(entry.announced) AS text WHERE ${RENDERED_KEY_CONDITION})
  )`;

export function readUpdateBytes(
  driver: Driver,
  sessionId: SessionId,
  sentAtMs: number,
): UpdateBytes {
  const row = driver.get(SELECT_UPDATE_BYTES, sessionId, sentAtMs) ?? {};
  return { announced: Number(row.announced), carried: Number(row.carried) };
}

/** Counts the spared calls of each session that has any. */
export function readSparedBySession(driver: Driver): ReadonlyMap<SessionId, SparedCalls> {
  const rows = driver.all(
    `SELECT turn.session_id, ${SPARED_CALL_COLUMNS} ${FROM_ANNOUNCING_CALLS} GROUP BY turn.session_id`,
  );
  return new Map(rows.map((row) => [String(row.session_id) as SessionId, toSparedCalls(row)]));
}
