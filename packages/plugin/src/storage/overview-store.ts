// Reads a session's overview without codecs.
import { hashText } from "../context/canonical.ts";
import type { Driver, SqlRow } from "./driver.ts";
import { StorageError } from "./errors.ts";
import type { EntryForm } from "./form-store.ts";
import {
  type BillOverview,
  type BriefOverview,
  type CallOverview,
  type CallTotals,
  type EntryOverview,
  type EpochOverview,
  type FormOverview,
  type InboxCounts,
  type KeyChange,
  type OverviewStore,
  openInputStates,
  SELECT_SPARED_CALLS,
  toSparedCalls,
} from "./overview-records.ts";
import type { EpochCause } from "./records.ts";
import { sessionTable } from "./session-store.ts";
import { readUsage, TURN_FIGURE_COLUMNS, toTurnFigures } from "./turn-figures.ts";

/**
 * Reads overviews without codecs: SQLite itself takes the JSON columns apart, and the tables' CHECKs and
 * STRICT types vouch for the rest. This halves the start of a command that shows a status.
 */
export function createOverviewStore(driver: Driver): OverviewStore {
  return {
    of: (sessionId, callCount) =>
      driver.read(() => {
        const sums = driver.get(SELECT_CALL_TOTALS, sessionId) ?? {};
        return {
          harness: harnessSelection.in(driver).find({ id: sessionId })?.harness ?? null,
          epochs: driver.all(SELECT_EPOCHS, sessionId).map(toEpochOverview),
          entries: driver.all(SELECT_ENTRIES, sessionId).map(toEntryOverview),
          calls: driver.all(SELECT_CALLS, sessionId, callCount).map(toCallOverview),
          totals: toCallTotals(sums),
          bill: toBillOverview(sums, driver.get(SELECT_SPARED_IN_SESSION, sessionId)),
          busts: driver.all(SELECT_BUSTS, sessionId, String(sums.bust_seqs)).map(toCallOverview),
          brief: toBriefOverview(driver.get(SELECT_BRIEF, sessionId)),
          inbox: toInboxCounts(driver.get(SELECT_INBOX, sessionId) ?? {}),
          forms: driver.all(SELECT_FORMS, sessionId).map(toFormOverview),
        };
      }),
  };
}

/** Replaces `Buffer.byteLength`, which miscounts half a surrogate pair in Bun 1.3.14. */
const encoder = new TextEncoder();

const harnessSelection = sessionTable.pick("harness");

const SELECT_EPOCHS = `
  SELECT seq, cause, directory, started_at_ms, baseline,
    (SELECT json_group_array(DISTINCT name) FROM (
      SELECT key AS name FROM json_each(epoch.snapshot)
      UNION ALL SELECT json_extract(value, '$.key') FROM json_each(epoch.parts)
    )) AS keys
  FROM epoch WHERE session_id = ? ORDER BY seq`;

function toEpochOverview(row: SqlRow): EpochOverview {
  const baseline = readText(row.baseline);
  return {
    seq: Number(row.seq),
    cause: String(row.cause) as EpochCause,
    directory: String(row.directory),
    startedAtMs: Number(row.started_at_ms),
    baselineBytes: encoder.encode(baseline).length,
    baselineHash: hashText(baseline),
    keys: JSON.parse(String(row.keys)),
  };
}

const SELECT_ENTRIES = `
  SELECT seq, epoch_seq, decided_at_ms,
    iif(json_extract(edit, '$.verb') = 'insert',
      length(CAST(json_extract(edit, '$.text') AS BLOB)), NULL) AS insert_bytes,
    iif(json_extract(edit, '$.verb') = 'fold',
      length(CAST(json_extract(edit, '$.text') AS BLOB)), NULL) AS fold_bytes,
    (SELECT json_group_array(json_extract(value, '$.key')) FROM json_each(entry.announced)) AS announced_keys,
    (SELECT json_group_array(json_object('key', key, 'effect',
      iif(type = 'null', 'removed', 'stated'))) FROM json_each(entry.delta)) AS changes
  FROM entry WHERE session_id = ? ORDER BY seq`;

function toEntryOverview(row: SqlRow): EntryOverview {
  return {
    seq: Number(row.seq),
    epochSeq: Number(row.epoch_seq),
    decidedAtMs: Number(row.decided_at_ms),
    insertBytes: row.insert_bytes === null ? null : Number(row.insert_bytes),
    foldBytes: row.fold_bytes === null ? null : Number(row.fold_bytes),
    announcedKeys: JSON.parse(String(row.announced_keys)),
    changes: JSON.parse(String(row.changes)) as KeyChange[],
  };
}

const READABLE_TOKENS_SQL = `
  (SELECT former.cache_read_tokens + former.cache_write_tokens FROM turn AS former
    WHERE former.session_id = turn.session_id AND former.seq < turn.seq
      AND former.provider_id = turn.provider_id AND former.model_id = turn.model_id
    ORDER BY former.seq DESC LIMIT 1) AS readable_tokens`;

const SELECT_CALLS = `
  SELECT ${TURN_FIGURE_COLUMNS}, ${READABLE_TOKENS_SQL} FROM turn WHERE session_id = ? ORDER BY seq DESC LIMIT ?`;

const SELECT_BUSTS = `
  SELECT ${TURN_FIGURE_COLUMNS}, ${READABLE_TOKENS_SQL} FROM turn
  WHERE session_id = ? AND seq IN (SELECT value FROM json_each(?)) ORDER BY seq DESC`;

function toCallOverview(row: SqlRow): CallOverview {
  const { readable_tokens: readable = null } = row;
  return { ...toTurnFigures(row), readableTokens: readable === null ? null : Number(readable) };
}

/** Sums all calls in a single pass. */
const SELECT_CALL_TOTALS = `
  SELECT count(*) AS calls, count(input_tokens) AS reported,
    json_group_array(seq) FILTER (WHERE bust IS NOT NULL) AS bust_seqs,
    coalesce(sum(input_tokens), 0) AS input_tokens,
    coalesce(sum(output_tokens), 0) AS output_tokens,
    coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
    coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens,
    count(paid_nanos) AS priced, coalesce(sum(paid_nanos), 0) AS paid_nanos,
    coalesce(sum(saved_nanos), 0) AS saved_nanos
  FROM turn WHERE session_id = ?`;

function toCallTotals(row: SqlRow): CallTotals {
  return { calls: Number(row.calls), reported: Number(row.reported), ...readUsage(row) };
}

const SELECT_SPARED_IN_SESSION = `${SELECT_SPARED_CALLS} AND turn.session_id = ?`;

function toBillOverview(sums: SqlRow, spared: SqlRow | null): BillOverview {
  return {
    priced: Number(sums.priced),
    paidNanos: Number(sums.paid_nanos),
    savedNanos: Number(sums.saved_nanos),
    spared: toSparedCalls(spared),
  };
}

const SELECT_BRIEF = `
  SELECT made_at_ms, length(CAST(json_extract(text, '$') AS BLOB)) AS bytes,
    json_extract(essentials, '$.stage') AS stage
  FROM brief WHERE session_id = ? ORDER BY seq DESC LIMIT 1`;

function toBriefOverview(row: SqlRow | null): BriefOverview | null {
  if (!row) return null;
  return {
    madeAtMs: Number(row.made_at_ms),
    bytes: Number(row.bytes),
    stage: readTextOrNull(row.stage),
  };
}

const inboxCountColumns = openInputStates.map((state) => {
  return `count(*) FILTER (WHERE state = '${state}') AS ${state}`;
});

const SELECT_INBOX = `SELECT ${inboxCountColumns.join(", ")} FROM session_input WHERE session_id = ?`;

function toInboxCounts(row: SqlRow): InboxCounts {
  const counted = openInputStates.map((state) => [state, Number(row[state])]);
  return Object.fromEntries(counted) as InboxCounts;
}

const SELECT_FORMS = `
  SELECT entry_seq, provider_id || '/' || model_id AS model, form FROM entry_form
  WHERE session_id = ? ORDER BY entry_seq, model`;

function toFormOverview(row: SqlRow): FormOverview {
  return {
    entrySeq: Number(row.entry_seq),
    model: String(row.model),
    form: String(row.form) as EntryForm,
  };
}

/** Parses the text here, because SQLite would mangle text that is not well-formed Unicode. */
function readText(json: SqlRow[string] | undefined): string {
  try {
    return String(JSON.parse(String(json)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new StorageError("corrupt", "A stored row can't be read: epoch: baseline (not JSON).");
  }
}

function readTextOrNull(value: SqlRow[string] | undefined): string | null {
  return (value ?? null) === null ? null : String(value);
}
