// The store of jobs.
import type { Driver } from "./driver.ts";
import {
  type FoundJob,
  foundJobColumns,
  isOpen,
  isRunningJob,
  type JobFailure,
  type JobLease,
  type JobOutcome,
  type JobRecord,
  type JobSettlement,
  type JobSummary,
  jobSummaryColumns,
  jobTable,
  type NewJob,
  type ProjectJobs,
  type TakenJob,
  type TokenCharge,
} from "./job-records.ts";
import type { ProjectId, SessionId } from "./records.ts";
import type { RowFilter } from "./rows.ts";
import { ensureSession } from "./session-store.ts";

const summarySelection = jobTable.pick(...jobSummaryColumns);

const foundSelection = jobTable.pick(...foundJobColumns);

const childSelection = jobTable.pick("id", "childSessionId", "state", "owner", "expiresAtMs");

const countSelection = jobTable.pick("id", "attempts", "error", "inputTokens", "outputTokens");

type JobCounts = ReturnType<typeof countSelection.read>;

/** Limits the started jobs read per kind and source, which is far more than a streak of failures needs. */
const MAX_STARTED_PER_SOURCE = 16;

const buildStartedJobsSql = (column: "project" | "session_id") => `
  SELECT * FROM (
    SELECT ${summarySelection.columns},
      row_number() OVER (PARTITION BY kind, session_id ORDER BY started_at_ms DESC, id DESC) AS place
    FROM job WHERE ${column} = ? AND started_at_ms >= ?)
  WHERE place <= ${MAX_STARTED_PER_SOURCE} ORDER BY started_at_ms DESC, id DESC`;

const SELECT_STARTED_IN_PROJECT = buildStartedJobsSql("project");

const SELECT_STARTED_IN_SESSION = buildStartedJobsSql("session_id");

const SUM_TOKENS_BY_SESSION = `
  SELECT session_id, sum(input_tokens + output_tokens) AS tokens FROM job
  WHERE project = ? AND started_at_ms >= ? GROUP BY session_id`;

const SUM_TOKENS_BY_SUBJECT = `
  SELECT subject, sum(input_tokens + output_tokens) AS tokens FROM job
  WHERE kind = ? AND started_at_ms >= ? GROUP BY subject`;

const SELECT_OTHER_PROJECTS =
  "SELECT 1 AS found FROM job WHERE board = ? AND project IS NOT ? LIMIT 1";

const SELECT_CHILDREN = `
  SELECT ${childSelection.columns} FROM job WHERE board = ? AND child_session_id IS NOT NULL`;

export type JobStore = ReturnType<typeof createJobStore>;

/**
 * Stores jobs in one table for one runner. Each write is a short transaction, and only the lease's owner
 * settles a job.
 */
export function createJobStore(driver: Driver) {
  const jobs = jobTable.in(driver);
  const glimpses = summarySelection.in(driver);
  const findings = foundSelection.in(driver);
  const updateJob = (where: RowFilter<JobRecord>, values: (now: JobCounts) => Partial<JobRecord>) =>
    driver.transaction(() => {
      const now = countSelection.in(driver).find(where);
      return now !== null && jobs.update({ id: now.id }, values(now)).length > 0;
    });
  return {
    /** Adds a job and returns its id; null if the same work has a row already. */
    add: (job: NewJob, nowMs: number): number | null =>
      driver.transaction(() => {
        const { sessionId, input } = job;
        if (sessionId !== null) ensureSession(driver, sessionId, nowMs);
        const due = { state: "due", createdAtMs: nowMs, dueAtMs: nowMs } as const;
        return jobs.insertNew({ ...job, input: input ?? null, ...due })?.id ?? null;
      }),
    /** Assigns all of the worker's jobs to this project. */
    claim: (worker: string, project: ProjectId): void => {
      if (driver.get(SELECT_OTHER_PROJECTS, worker, project) !== null)
        jobs.update({ board: worker }, { project });
    },
    now: (project: ProjectId, sinceMs: number): ProjectJobs => ({
      open: glimpses.list({ project, state: ["due", "failed", "running"] }, "dueAtMs", "id"),
      begun: driver.all(SELECT_STARTED_IN_PROJECT, project, sinceMs).map(summarySelection.read),
      spentTokens: new Map(
        driver
          .all(SUM_TOKENS_BY_SESSION, project, sinceMs)
          .map(({ session_id: id, tokens }) => [
            id === null ? null : (String(id) as SessionId),
            Number(tokens),
          ]),
      ),
    }),
    /** Returns the session's share of `ProjectJobs.begun`. */
    begunIn: (sessionId: SessionId, sinceMs: number): readonly JobSummary[] =>
      driver.all(SELECT_STARTED_IN_SESSION, sessionId, sinceMs).map(summarySelection.read),
    /** Returns the jobs of one kind in one session, oldest first. */
    ofKind: (kind: string, sessionId: SessionId): readonly FoundJob[] =>
      findings.list({ kind, sessionId }, "id"),
    /** Sums tokens by subject for a kind's jobs that started since `sinceMs`, including running ones. */
    tokensBySubject: (kind: string, sinceMs: number): ReadonlyMap<string | null, number> =>
      new Map(
        driver
          .all(SUM_TOKENS_BY_SUBJECT, kind, sinceMs)
          .map(({ subject, tokens }) => [
            subject === null ? null : String(subject),
            Number(tokens),
          ]),
      ),
    find: (id: number): FoundJob | null => findings.find({ id }),
    /**
     * Takes one job if no other job of its project is running. A job whose lease has expired, or whose owner
     * is gone, does not count as running.
     */
    take: (id: number, lease: JobLease, isGone: (owner: string) => boolean): TakenJob | null =>
      driver.transaction(() => {
        const { owner, nowMs, expiresAtMs } = lease;
        const job = jobs.find({ id });
        if (job === null || !isOpen(job) || job.dueAtMs > nowMs) return null;
        const { project } = job;
        if (project === null) return null;
        const running = glimpses.list({ project, state: "running" });
        if (running.some((other) => isRunningJob(other, nowMs, isGone))) return null;
        const begun = { owner, expiresAtMs, startedAtMs: nowMs, attempts: job.attempts + 1 };
        jobs.update({ id }, { state: "running", ...begun });
        const taken = jobs.find({ id });
        return taken && { ...taken, project };
      }),
    /** Extends the lease. @returns false if it was lost. */
    renew: (id: number, { owner, expiresAtMs }: Omit<JobLease, "nowMs">): boolean =>
      jobs.update(toRunningJobKey(id, owner), { expiresAtMs }).length > 0,
    /**
     * Records in which session the call is about to be made, so that the session can be cleaned up after a
     * kill, and the call's expected cost, so that a killed call still counts against the budget.
     * @returns false if the lease was lost.
     */
    callsIn: (id: number, owner: string, childSessionId: SessionId, charge: TokenCharge): boolean =>
      updateJob(toRunningJobKey(id, owner), (now) => ({
        childSessionId,
        ...addCharge(now, charge),
      })),
    /** Records that the call's session is gone from the host. */
    forgetChild: (id: number, childSessionId: SessionId): void =>
      void jobs.update({ id, childSessionId }, { childSessionId: null }),
    /**
     * Stores the outcome.
     * @returns false, writing nothing, if the lease was lost or the row is settled already.
     */
    settle: (
      id: number,
      owner: string,
      outcome: JobOutcome,
      { nowMs, write }: JobSettlement,
    ): boolean =>
      driver.transaction(() => {
        const isMine = updateJob(toRunningJobKey(id, owner), (now) => ({
          state: "settled",
          model: outcome.model,
          settledAtMs: nowMs,
          ...addCharge(now, outcome),
        }));
        if (isMine) write(driver);
        return isMine;
      }),
    fail: (id: number, owner: string, failure: JobFailure): boolean =>
      updateJob(toRunningJobKey(id, owner), (now) => ({
        state: failure.retryAtMs === null ? "given_up" : "failed",
        error: appendCode(now, failure.error),
        model: failure.model,
        dueAtMs: failure.retryAtMs ?? 0,
        ...addCharge(now, failure),
      })),
    /**
     * Makes the job due again without counting the attempt, because its process is ending in an orderly way.
     */
    release: (id: number, owner: string, charge: TokenCharge): void =>
      void updateJob(toRunningJobKey(id, owner), (now) => ({
        state: "due",
        attempts: now.attempts - 1,
        owner: null,
        expiresAtMs: null,
        ...addCharge(now, charge),
      })),
    /** Gives up a job whose process was killed too often. */
    giveUpKilled: (id: number, attempts: number): void =>
      void updateJob({ id, attempts, state: "running" }, (now) => ({
        state: "given_up",
        error: appendCode(now, "killed"),
      })),
    /**
     * Makes an unfinished job due at once, with all its attempts, on request.
     * @returns false if there is none.
     */
    retry: (id: number, nowMs: number): boolean =>
      jobs.update(
        { id, state: ["due", "failed", "given_up"] },
        { state: "due", attempts: 0, error: null, dueAtMs: nowMs, owner: null },
      ).length > 0,
    /** Gives up an unfinished job on request; its run ends without a settlement. */
    stop: (id: number): boolean =>
      updateJob({ id, state: ["due", "failed", "running"] }, (now) => ({
        state: "given_up",
        error: appendCode(now, "stopped"),
      })),
    /** Returns the project's jobs, newest first. */
    list: (project: ProjectId, count: number): readonly JobRecord[] =>
      jobs.first(count, { project }, "id desc"),
    /** Says whether a process runs the job now. */
    isRun: (id: number, nowMs: number, isGone: (owner: string) => boolean): boolean => {
      const job = childSelection.in(driver).find({ id });
      return job !== null && isRunningJob(job, nowMs, isGone);
    },
    /** Returns the host's sessions that none of the worker's running jobs uses any more. */
    leftChildren: (worker: string, nowMs: number, isGone: (owner: string) => boolean) =>
      driver.all(SELECT_CHILDREN, worker).flatMap((row) => {
        const { id, childSessionId, ...job } = childSelection.read(row);
        return childSessionId === null || isRunningJob(job, nowMs, isGone)
          ? []
          : [{ id, childSessionId }];
      }),
  };
}

const toRunningJobKey = (id: number, owner: string) => ({ id, owner, state: "running" }) as const;

const addCharge = (now: JobCounts, { inputTokens, outputTokens }: TokenCharge): TokenCharge => ({
  inputTokens: now.inputTokens + inputTokens,
  outputTokens: now.outputTokens + outputTokens,
});

const appendCode = ({ error }: JobCounts, code: string) =>
  error === null ? code : `${error},${code}`;
