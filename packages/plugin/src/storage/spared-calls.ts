// Calls that told a change which OpenCode alone would have made in its system prompt.
import type { Driver, SqlRow } from "./driver.ts";
import type { SparedCalls } from "./overview-records.ts";
import type { SessionId } from "./records.ts";

/** What OpenCode renders into its system prompt at every call. A model's name it renders too, but caches are per model. */
const RENDERED = [
  "core/date",
  "core/environment",
  "core/instructions",
  "core/references",
  "core/mcp",
  "core/skills",
];

const FIGURES = `count(*) AS calls, coalesce(sum(turn.cache_read_tokens), 0) AS tokens,
  coalesce(sum(turn.rewrite_nanos), 0) AS nanos`;

/** From the few entries to their calls: a pass commits what it tells under the moment of its call. */
const TELLING = `
  FROM (
    SELECT DISTINCT entry.session_id, entry.decided_at_ms FROM entry, json_each(entry.told) AS text
    WHERE entry.edit IS NOT NULL AND json_extract(text.value, '$.key')
      IN (${RENDERED.map((key) => `'${key}'`).join(", ")})
  ) AS told
  JOIN turn ON turn.session_id = told.session_id AND turn.sent_at_ms = told.decided_at_ms
  WHERE turn.input_tokens IS NOT NULL`;

/** One row, to be narrowed by a further condition. */
export const SPARED = `SELECT ${FIGURES} ${TELLING}`;

export function sparedOf(row: SqlRow | null): SparedCalls {
  return {
    calls: Number(row?.calls ?? 0),
    tokens: Number(row?.tokens ?? 0),
    nanos: Number(row?.nanos ?? 0),
  };
}

/** Of each session that has any. */
export function sparedBySession(driver: Driver): ReadonlyMap<SessionId, SparedCalls> {
  const rows = driver.all(`SELECT turn.session_id, ${FIGURES} ${TELLING} GROUP BY turn.session_id`);
  return new Map(rows.map((row) => [String(row.session_id) as SessionId, sparedOf(row)]));
}
