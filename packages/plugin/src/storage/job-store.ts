// The store of jobs.
import { anyJson } from "./codec.ts";
import { branded, integer, oneOf, orNull, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import {
  found,
  glimpsed,
  isRun,
  type JobLease,
  type JobOutcome,
  type JobRecord,
  type JobStore,
  type NewJob,
} from "./job-records.ts";
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
    subject: orNull(text),
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
    now: (project, sinceMs) => ({
      open: driver.all(SELECT_OPEN, project).map(glimpse.read),
      begun: driver.all(SELECT_BEGUN, project, sinceMs).map(glimpse.read),
      spentTokens: new Map(
        driver
          .all(SUM_TOKENS, project, sinceMs)
          .map(({ session_id: id, tokens }) => [
            id === null ? null : (String(id) as SessionId),
            Number(tokens),
          ]),
      ),
    }),
    begunIn: (sessionId, sinceMs) =>
      driver.all(SELECT_BEGUN_IN, sessionId, sinceMs).map(glimpse.read),
    ofKind: (kind, sessionId) => driver.all(SELECT_OF_KIND, kind, sessionId).map(finding.read),
    tokensBySubject: (kind, sinceMs) =>
      new Map(
        driver
          .all(SUM_BY_SUBJECT, kind, sinceMs)
          .map(({ subject, tokens }) => [
            subject === null ? null : String(subject),
            Number(tokens),
          ]),
      ),
    find: (id) => {
      const row = driver.get(FIND, id);
      return row && finding.read(row);
    },
    take: (id, lease, isGone) => driver.transaction(() => take(driver, id, lease, isGone)),
    renew: (id, { owner, expiresAtMs }) => driver.get(RENEW, expiresAtMs, id, owner) !== null,
    callsIn: (id, owner, childSessionId, { inputTokens, outputTokens }) =>
      driver.get(SET_CHILD, childSessionId, inputTokens, outputTokens, id, owner) !== null,
    forgetChild: (id, childSessionId) => driver.run(FORGET_CHILD, id, childSessionId),
    settle: (id, owner, { proposal, model, inputTokens, outputTokens }, { nowMs, write }) =>
      driver.transaction(() => {
        const state = write ? "taken" : "settled";
        const json = JSON.stringify(proposal ?? null);
        const used = [inputTokens, outputTokens] as const;
        const settled = driver.get(SETTLE, state, json, model, ...used, nowMs, id, owner);
        if (settled !== null) write?.(driver);
        return settled !== null;
      }),
    fail: (id, owner, { error, model, retryAtMs, inputTokens, outputTokens }) => {
      const state = retryAtMs === null ? "given_up" : "failed";
      const dueAtMs = retryAtMs ?? 0;
      const values = [state, error, model, dueAtMs, inputTokens, outputTokens, id, owner];
      return driver.get(FAIL, ...values) !== null;
    },
    release: (id, owner, { inputTokens, outputTokens }) =>
      driver.run(RELEASE, inputTokens, outputTokens, id, owner),
    giveUpKilled: (id, attempts) => driver.run(GIVE_UP_KILLED, id, attempts),
    retry: (id, nowMs) => driver.get(RETRY, nowMs, id) !== null,
    stop: (id) => driver.get(STOP, id) !== null,
    proposals: (sessionId) =>
      driver.all(SELECT_PROPOSALS, sessionId).map((row) => {
        const { proposal: output, ...job } = settled.read(row);
        return { ...job, output };
      }),
    list: (project, count) => driver.all(SELECT_NEWEST, project, count).map(jobTable.read),
    leftChildren: (project, nowMs, isGone) =>
      driver.all(SELECT_CHILDREN, project).flatMap((row) => {
        const { id, childSessionId, ...job } = child.read(row);
        return childSessionId === null || isRun(job, nowMs, isGone) ? [] : [{ id, childSessionId }];
      }),
  };
}

function take(
  driver: Driver,
  id: number,
  { owner, nowMs, expiresAtMs }: JobLease,
  isGone: (owner: string) => boolean,
): JobRecord | null {
  const row = driver.get(SELECT_ONE, id);
  if (!row) return null;
  const { project } = jobTable.read(row);
  const running = driver.all(SELECT_RUNNING, project).map(glimpse.read);
  if (running.some((job) => isRun(job, nowMs, isGone))) return null;
  const taken = driver.get(TAKE, owner, expiresAtMs, nowMs, id, nowMs);
  return taken && jobTable.read(taken);
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

const glimpse = jobTable.pick(...glimpsed);

const finding = jobTable.pick(...found);

const child = jobTable.pick("id", "childSessionId", "state", "owner", "expiresAtMs");

const SELECT_OPEN = `
  SELECT ${glimpse.columns} FROM job
  WHERE project = ? AND state IN ('due', 'failed', 'running') ORDER BY due_at_ms, id`;

/** Far more than a streak of failures needs. */
const MOST_BEGUN_OF_A_SOURCE = 16;

const selectBegun = (column: "project" | "session_id") => `
  SELECT * FROM (
    SELECT ${glimpse.columns},
      row_number() OVER (PARTITION BY kind, session_id ORDER BY started_at_ms DESC, id DESC) AS place
    FROM job WHERE ${column} = ? AND started_at_ms >= ?)
  WHERE place <= ${MOST_BEGUN_OF_A_SOURCE} ORDER BY started_at_ms DESC, id DESC`;

const SELECT_BEGUN = selectBegun("project");

const SELECT_BEGUN_IN = selectBegun("session_id");

const SUM_TOKENS = `
  SELECT session_id, sum(input_tokens + output_tokens) AS tokens FROM job
  WHERE project = ? AND started_at_ms >= ? GROUP BY session_id`;

const SELECT_OF_KIND = `
  SELECT ${finding.columns} FROM job WHERE kind = ? AND session_id = ? ORDER BY id`;

const FIND = `SELECT ${finding.columns} FROM job WHERE id = ?`;

const SUM_BY_SUBJECT = `
  SELECT subject, sum(input_tokens + output_tokens) AS tokens FROM job
  WHERE kind = ? AND started_at_ms >= ? GROUP BY subject`;

const SELECT_ONE = `SELECT ${jobTable.columns} FROM job WHERE id = ?`;

const SELECT_RUNNING = `
  SELECT ${glimpse.columns} FROM job WHERE project = ? AND state = 'running'`;

const TAKE = `
  UPDATE job SET state = 'running', owner = ?, expires_at_ms = ?, started_at_ms = ?,
    attempts = attempts + 1
  WHERE id = ? AND state IN ('due', 'failed', 'running') AND due_at_ms <= ?
  RETURNING ${jobTable.columns}`;

const RENEW = `
  UPDATE job SET expires_at_ms = ? WHERE id = ? AND owner = ? AND state = 'running' RETURNING id`;

const SET_CHILD = `
  UPDATE job SET child_session_id = ?, input_tokens = input_tokens + ?,
    output_tokens = output_tokens + ?
  WHERE id = ? AND owner = ? AND state = 'running' RETURNING id`;

const FORGET_CHILD = `
  UPDATE job SET child_session_id = NULL WHERE id = ? AND child_session_id = ?`;

const SETTLE = `
  UPDATE job SET state = ?, proposal = ?, model = ?, input_tokens = input_tokens + ?,
    output_tokens = output_tokens + ?, settled_at_ms = ?
  WHERE id = ? AND owner = ? AND state = 'running' RETURNING id`;

const WITH_CODE = "error = coalesce(error || ',', '') ||";

const FAIL = `
  UPDATE job SET state = ?, ${WITH_CODE} ?, model = ?, due_at_ms = ?,
    input_tokens = input_tokens + ?, output_tokens = output_tokens + ?
  WHERE id = ? AND owner = ? AND state = 'running' RETURNING id`;

const RELEASE = `
  UPDATE job SET state = 'due', attempts = attempts - 1, owner = NULL, expires_at_ms = NULL,
    input_tokens = input_tokens + ?, output_tokens = output_tokens + ?
  WHERE id = ? AND owner = ? AND state = 'running'`;

const GIVE_UP_KILLED = `
  UPDATE job SET state = 'given_up', ${WITH_CODE} 'killed'
  WHERE id = ? AND attempts = ? AND state = 'running'`;

const RETRY = `
  UPDATE job SET state = 'due', attempts = 0, error = NULL, due_at_ms = ?, owner = NULL
  WHERE id = ? AND state IN ('due', 'failed', 'given_up') RETURNING id`;

const STOP = `
  UPDATE job SET state = 'given_up', ${WITH_CODE} 'stopped'
  WHERE id = ? AND state IN ('due', 'failed', 'running') RETURNING id`;

const settled = jobTable.pick("id", "kind", "urgency", "proposal");

const SELECT_PROPOSALS = `
  SELECT ${settled.columns} FROM job WHERE session_id = ? AND state = 'settled' ORDER BY id`;

const SELECT_NEWEST = `SELECT ${jobTable.columns} FROM job WHERE project = ? ORDER BY id DESC LIMIT ?`;

const SELECT_CHILDREN = `
  SELECT ${child.columns} FROM job WHERE project = ? AND child_session_id IS NOT NULL`;
