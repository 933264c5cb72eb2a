// Counts calls that announced a change which OpenCode alone would have made in its system prompt.
import type { Driver, SqlRow } from "./driver.ts";
import type { SparedCalls } from "./overview-records.ts";
import type { SessionId, UpdateBytes } from "./records.ts";

/**
 * Lists what OpenCode renders into its system prompt at every call. It also renders the model's name, but
 * caches are per model.
 */
const RENDERED = [
  "core/date",
  "core/environment",
  "core/instructions",
  "core/references",
  "core/mcp",
  "core/skills",
];

const IS_RENDERED = `json_extract(text.value, '$.key')
  IN (${RENDERED.map((key) => `'${key}'`).join(", ")})`;

const FIGURES = "count(*) AS calls, coalesce(sum(turn.cache_read_tokens), 0) AS tokens";

/** Joins entries to their calls: a boundary commits its announcements under the time of its call. */
const ANNOUNCING = `
  FROM (
    SELECT DISTINCT entry.session_id, entry.decided_at_ms FROM entry, json_each(entry.announced) AS text
    WHERE entry.edit IS NOT NULL AND ${IS_RENDERED}
  ) AS announced
  JOIN turn ON turn.session_id = announced.session_id AND turn.sent_at_ms = announced.decided_at_ms
  WHERE turn.input_tokens IS NOT NULL`;

/** Selects one row, to be narrowed by a further condition. */
export const SPARED = `SELECT ${FIGURES} ${ANNOUNCING}`;

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
      AND EXISTS (SELECT 1 FROM json_each(entry.announced) AS text WHERE ${IS_RENDERED})
  )`;

export function readUpdateBytes(
  driver: Driver,
  sessionId: SessionId,
  sentAtMs: number,
): UpdateBytes {
  const row = driver.get(SELECT_UPDATE_BYTES, sessionId, sentAtMs) ?? {};
  return { announced: Number(row.announced), carried: Number(row.carried) };
}

/** Counts such calls for each session that has any. */
export function sparedBySession(driver: Driver): ReadonlyMap<SessionId, SparedCalls> {
  const rows = driver.all(
    `SELECT turn.session_id, ${FIGURES} ${ANNOUNCING} GROUP BY turn.session_id`,
  );
  return new Map(rows.map((row) => [String(row.session_id) as SessionId, toSparedCalls(row)]));
}
