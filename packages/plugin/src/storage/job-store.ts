// The store of jobs.
import * as z from "zod";
import { decodeRow, jsonColumn } from "./codec.ts";
import type { Driver, SqlRow } from "./driver.ts";
import type { JobRecord, JobStore, NewJob, StoredProposal } from "./job-records.ts";
import type { SessionId } from "./records.ts";
import { ensureSession } from "./session-store.ts";

export function jobStore(driver: Driver): JobStore {
  return {
    add: (job, nowMs) => driver.transaction(() => insert(driver, job, { nowMs, proposal: null })),
    addSettled: (job, proposal, nowMs) =>
      driver.transaction(() =>
        insert(driver, job, { nowMs, proposal: JSON.stringify(proposal ?? null) }),
      ),
    take: (project, { owner, nowMs, expiresAtMs }) =>
      driver.transaction(() => {
        if (driver.get(SELECT_RUNNING, project, nowMs)) return null;
        const row = driver.get(SELECT_DUE, project, nowMs);
        if (!row) return null;
        const taken = driver.get(TAKE, owner, expiresAtMs, nowMs, Number(row.id));
        return taken && jobOf(taken);
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
    proposals: (sessionId) => driver.all(SELECT_PROPOSALS, sessionId).map(proposalOf),
    list: (project, count) => driver.all(SELECT_NEWEST, project, count).map(jobOf),
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

const COLUMNS = `id, kind, project, session_id, key, urgency, state, attempts, owner, expires_at_ms,
  due_at_ms, input, input_digest, proposal, model, input_tokens, output_tokens, child_session_id,
  error, created_at_ms, started_at_ms, settled_at_ms`;

const INSERT = `
  INSERT INTO job (kind, project, session_id, key, urgency, state, due_at_ms, input, input_digest,
    proposal, created_at_ms, settled_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (kind, key) DO NOTHING RETURNING id`;

function insert(
  driver: Driver,
  job: NewJob,
  { nowMs, proposal }: { readonly nowMs: number; readonly proposal: string | null },
): number | null {
  const { kind, project, sessionId, key, urgency, input, inputDigest } = job;
  if (sessionId !== null) ensureSession(driver, sessionId, nowMs);
  const state = proposal === null ? "due" : "settled";
  const settledAtMs = proposal === null ? null : nowMs;
  const json = JSON.stringify(input ?? null);
  const values = [kind, project, sessionId, key, urgency, state, nowMs, json, inputDigest] as const;
  const row = driver.get(INSERT, ...values, proposal, nowMs, settledAtMs);
  return row && Number(row.id);
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
  WHERE id = ? RETURNING ${COLUMNS}`;

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

const SELECT_PROPOSALS = `
  SELECT id, kind, urgency, proposal FROM job WHERE session_id = ? AND state = 'settled' ORDER BY id`;

const SELECT_NEWEST = `SELECT ${COLUMNS} FROM job WHERE project = ? ORDER BY id DESC LIMIT ?`;

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

const proposalRow = z.object({
  id: z.int(),
  kind: z.string(),
  urgency: z.enum(["command", "waits"]),
  proposal: jsonColumn(z.unknown()),
});

function proposalOf(sql: SqlRow): StoredProposal {
  const { id, kind, urgency, proposal } = decodeRow("job", proposalRow, sql);
  return { id, kind, urgency, output: proposal };
}

const jobRow = z.object({
  id: z.int(),
  kind: z.string(),
  project: z.string(),
  session_id: z.custom<SessionId>().nullable(),
  key: z.string(),
  urgency: z.enum(["command", "waits"]),
  state: z.enum(["due", "running", "settled", "taken", "stale", "failed", "given_up"]),
  attempts: z.int(),
  owner: z.string().nullable(),
  expires_at_ms: z.int().nullable(),
  due_at_ms: z.int(),
  input: jsonColumn(z.unknown()),
  input_digest: z.string(),
  proposal: jsonColumn(z.unknown()).nullable(),
  model: z.string().nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  child_session_id: z.custom<SessionId>().nullable(),
  error: z.string().nullable(),
  created_at_ms: z.int(),
  started_at_ms: z.int().nullable(),
  settled_at_ms: z.int().nullable(),
});

function jobOf(sql: SqlRow): JobRecord {
  const row = decodeRow("job", jobRow, sql);
  return {
    id: row.id,
    kind: row.kind,
    project: row.project,
    sessionId: row.session_id,
    key: row.key,
    urgency: row.urgency,
    state: row.state,
    attempts: row.attempts,
    owner: row.owner,
    expiresAtMs: row.expires_at_ms,
    dueAtMs: row.due_at_ms,
    input: row.input,
    inputDigest: row.input_digest,
    proposal: row.proposal,
    model: row.model,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    childSessionId: row.child_session_id,
    error: row.error,
    createdAtMs: row.created_at_ms,
    startedAtMs: row.started_at_ms,
    settledAtMs: row.settled_at_ms,
  };
}
