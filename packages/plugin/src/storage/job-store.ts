// The store of jobs.
import { anyJson } from "./codec.ts";
import { branded, integer, oneOf, orNull, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { JobOutcome, JobRecord, JobStore, NewJob } from "./job-records.ts";
import type { SessionId } from "./records.ts";
import { ensureSession } from "./session-store.ts";
import { table } from "./table.ts";

export const jobTable = table<JobRecord>(
  "job",
  {
    id: integer,
    kind: text,
    project: text,
    sessionId: orNull(branded<SessionId>()),
    key: text,
    urgency: oneOf(["command", "waits"]),
    state: oneOf(["due", "running", "settled", "taken", "stale", "failed", "given_up"]),
    attempts: integer,
    owner: orNull(text),
    expiresAtMs: orNull(integer),
    dueAtMs: integer,
    input: anyJson,
    inputDigest: text,
    proposal: orNull(anyJson),
    model: orNull(text),
    inputTokens: integer,
    outputTokens: integer,
    childSessionId: orNull(branded<SessionId>()),
    error: orNull(text),
    createdAtMs: integer,
    startedAtMs: orNull(integer),
    settledAtMs: orNull(integer),
  },
  {
    key: ["id"],
    sessionColumn: "session_id",
    // Work of this machine, by its paths.
    exported: { kind: "never" },
    activityColumn: null,
  },
);

export function jobStore(driver: Driver): JobStore {
  return {
    add: (job, nowMs) => driver.transaction(() => insert(driver, job, nowMs, null)),
    addSettled: (job, proposal, nowMs) =>
      driver.transaction(() => insert(driver, job, nowMs, { proposal })),
    take: (project, { owner, nowMs, expiresAtMs }) =>
      driver.transaction(() => {
        if (driver.get(SELECT_RUNNING, project, nowMs)) return null;
        const row = driver.get(SELECT_DUE, project, nowMs);
        if (!row) return null;
        const taken = driver.get(TAKE, owner, expiresAtMs, nowMs, Number(row.id));
        return taken && jobTable.read(taken);
      }),
    renew: (id, { owner, expiresAtMs }) => driver.get(RENEW, expiresAtMs, id, owner) !== null,
    callsIn: (id, owner, childSessionId) => driver.run(SET_CHILD, childSessionId, id, owner),
    settle: (id, owner, { proposal, model, inputTokens, outputTokens }, nowMs) => {
      const json = JSON.stringify(proposal ?? null);
      return driver.get(SETTLE, json, model, inputTokens, outputTokens, nowMs, id, owner) !== null;
    },
    fail: (id, owner, { error, retryAtMs, inputTokens, outputTokens }) => {
      const state = retryAtMs === null ? "given_up" : "failed";
      const dueAtMs = retryAtMs ?? 0;
      const row = driver.get(FAIL, state, error, dueAtMs, inputTokens, outputTokens, id, owner);
      return row !== null;
    },
    markStale: (ids) => driver.run(MARK_STALE, JSON.stringify(ids)),
    proposals: (sessionId) =>
      driver.all(SELECT_PROPOSALS, sessionId).map((row) => {
        const { proposal: output, ...job } = settled.read(row);
        return { ...job, output };
      }),
    list: (project, count) => driver.all(SELECT_NEWEST, project, count).map(jobTable.read),
    spentTokens: ({ project, sessionId }, sinceMs) =>
      Number(driver.get(SUM_TOKENS, project, sinceMs, sessionId, sessionId)?.tokens),
    leftChildren: (project, nowMs) =>
      driver.all(SELECT_LEFT, project, nowMs).map((row) => ({
        id: Number(row.id),
        childSessionId: String(row.child_session_id) as SessionId,
      })),
    failuresInARow: (project) => {
      const row = driver.get(COUNT_FAILURES, project, project);
      return { count: Number(row?.failures), lastAtMs: Number(row?.last_at_ms ?? 0) };
    },
  };
}

function insert(
  driver: Driver,
  job: NewJob,
  nowMs: number,
  outcome: Pick<JobOutcome, "proposal"> | null,
): number | null {
  const { sessionId } = job;
  if (sessionId !== null) ensureSession(driver, sessionId, nowMs);
  const row: Partial<JobRecord> = {
    ...job,
    input: job.input ?? null,
    createdAtMs: nowMs,
    dueAtMs: nowMs,
    ...(outcome
      ? { state: "settled", proposal: outcome.proposal ?? null, settledAtMs: nowMs }
      : { state: "due" }),
  };
  const inserted = jobTable.insert(driver, row, "ON CONFLICT (kind, key) DO NOTHING");
  return inserted && Number(inserted.id);
}

/** One at a time per project, over all processes. */
const SELECT_RUNNING = `
  SELECT 1 AS found FROM job WHERE project = ? AND state = 'running' AND expires_at_ms > ? LIMIT 1`;

/** A running one whose lease has run out was killed, and is taken up again. */
const SELECT_DUE = `
  SELECT id FROM job
  WHERE project = ? AND state IN ('due', 'failed', 'running') AND due_at_ms <= ?
  ORDER BY due_at_ms, id LIMIT 1`;

const TAKE = `
  UPDATE job SET state = 'running', owner = ?, expires_at_ms = ?, started_at_ms = ?,
    attempts = attempts + 1
  WHERE id = ? RETURNING ${jobTable.columns}`;

const RENEW = `
  UPDATE job SET expires_at_ms = ? WHERE id = ? AND owner = ? AND state = 'running' RETURNING id`;

const SET_CHILD = "UPDATE job SET child_session_id = ? WHERE id = ? AND owner = ?";

const SETTLE = `
  UPDATE job SET state = 'settled', proposal = ?, model = ?, input_tokens = input_tokens + ?,
    output_tokens = output_tokens + ?, settled_at_ms = ?, error = NULL
  WHERE id = ? AND owner = ? AND state = 'running' RETURNING id`;

const FAIL = `
  UPDATE job SET state = ?, error = ?, due_at_ms = ?, input_tokens = input_tokens + ?,
    output_tokens = output_tokens + ?
  WHERE id = ? AND owner = ? AND state = 'running' RETURNING id`;

const MARK_STALE = `
  UPDATE job SET state = 'stale' WHERE state = 'settled' AND id IN (SELECT value FROM json_each(?))`;

const settled = jobTable.pick("id", "kind", "urgency", "proposal");

const SELECT_PROPOSALS = `
  SELECT ${settled.columns} FROM job WHERE session_id = ? AND state = 'settled' ORDER BY id`;

const SELECT_NEWEST = `SELECT ${jobTable.columns} FROM job WHERE project = ? ORDER BY id DESC LIMIT ?`;

const SUM_TOKENS = `
  SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens FROM job
  WHERE project = ? AND started_at_ms >= ? AND (? IS NULL OR session_id = ?)`;

const SELECT_LEFT = `
  SELECT id, child_session_id FROM job
  WHERE project = ? AND child_session_id IS NOT NULL AND (state <> 'running' OR expires_at_ms <= ?)`;

const COUNT_FAILURES = `
  SELECT count(*) AS failures, max(started_at_ms) AS last_at_ms FROM job
  WHERE project = ? AND state IN ('failed', 'given_up') AND started_at_ms > coalesce(
    (SELECT max(started_at_ms) FROM job WHERE project = ? AND state IN ('settled', 'taken', 'stale')),
    0)`;
