// Stores upkeep's runs: a project has at most one under way, which proceeds in steps and ends once.
import type { ProjectId } from "../../project/project.ts";
import type { Driver } from "../../storage/driver.ts";
import { createJobStore } from "../../storage/job-store.ts";
import type { MemoryId } from "../memory/record.ts";
import {
  type ChangeRecord,
  changeTable,
  checkTable,
  type RunRecord,
  runTable,
} from "./run-table.ts";
import type { TaskName } from "./task.ts";

/** The kind of upkeep's jobs. */
export const UPKEEP_JOB_KIND = "upkeep";

/** The input of a maintenance job: the next step of a run. */
export interface StepWork {
  readonly runId: number;
  readonly step: number;
}

/** Identifies a project's runs: those that began in its folder count even under a former project key. */
type RunScope = Pick<RunRecord, "project" | "directory">;

interface NewRun extends RunScope, Pick<RunRecord, "askedBy"> {
  /** Names the host's worker that carries out the run's steps. */
  readonly board: string;
  /** The tasks to run: the first one now, the others after it. */
  readonly tasks: readonly TaskName[];
}

interface DueRun extends RunScope {
  /** The tasks that the folder's settings turn on. */
  readonly tasks: readonly TaskName[];
}

export type RunStore = ReturnType<typeof createRunStore>;

/** A run is abandoned after this time without a step, because no session was open in its folder. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

export function createRunStore(driver: Driver) {
  const runs = runTable.in(driver);
  const changes = changeTable.in(driver);
  const jobs = createJobStore(driver);
  const findRun = (id: number): RunRecord | null => runs.find({ id });
  const listOpenRuns = ({ project, directory }: RunScope) =>
    runs
      .list({ endedAtMs: null }, "id")
      .filter((run) => run.project === project || run.directory === directory);
  const endAbandonedRuns = (place: RunScope, nowMs: number) => {
    for (const run of listOpenRuns(place)) {
      const code = findAbandonment(driver, run, nowMs);
      if (code !== null) endRun(driver, run.id, { code, nowMs });
    }
  };
  return {
    find: findRun,

    /** Ends runs whose job was given up, was stopped, no longer exists, or has waited too long. */
    endAbandoned: (place: RunScope, nowMs: number): void =>
      driver.transaction(() => endAbandonedRuns(place, nowMs)),

    /** Ends the folder's runs that wait for a task which its settings don't turn on. */
    endUnset: ({ tasks, ...place }: DueRun, nowMs: number): void =>
      driver.transaction(() => {
        for (const run of listOpenRuns(place)) {
          if (run.directory !== place.directory || tasks.includes(run.task)) continue;
          const job = run.jobId === null ? null : jobs.find(run.jobId);
          if (job?.state === "running") continue;
          if (run.jobId !== null) jobs.stop(run.jobId);
          endRun(driver, run.id, { code: "task_off", nowMs });
        }
      }),

    /** Begins a run. Returns null if the project has a run under way, in this folder or another. */
    begin: (asked: NewRun, nowMs: number): RunRecord | null =>
      driver.transaction(() => {
        endAbandonedRuns(asked, nowMs);
        if (listOpenRuns(asked).length > 0) return null;
        const id = beginRun(driver, asked, nowMs);
        return id === null ? null : findRun(id);
      }),

    /** Lists up to `count` runs, newest first. */
    list: (project: ProjectId, directory: string, count: number): readonly RunRecord[] =>
      driver.all(SELECT_NEWEST_RUNS, project, directory, count).map(runTable.read),

    /** Runs the body in one transaction: changes to memories are stored with their records or not at all. */
    atOnce: <Result>(body: () => Result): Result => driver.transaction(body),

    changes: (runId: number): readonly ChangeRecord[] => changes.list({ runId }, "id"),

    put: ({ id, ...values }: Pick<ChangeRecord, "id"> & Partial<ChangeRecord>): void =>
      void changes.update({ id }, values),

    /**
     * Returns the stamps of all changes that maintenance has ever made or undone. A memory with another stamp
     * was last changed by somebody else.
     */
    stamps: (): ReadonlySet<number> =>
      new Set(driver.all(SELECT_STAMPS).map(({ stamp }) => Number(stamp))),

    looks: (runId: number): ReadonlySet<MemoryId> =>
      new Set(
        checkTable
          .in(driver)
          .list({ runId })
          .map(({ memoryId }) => memoryId),
      ),

    /** Returns when the task last checked each memory of the project. */
    lookedAt: (project: ProjectId, task: TaskName): ReadonlyMap<MemoryId, number> =>
      new Map(
        driver
          .all(SELECT_LAST_CHECKS, project, task)
          .map((row) => [String(row.memory_id) as MemoryId, Number(row.looked_at_ms)]),
      ),

    /** Returns the tokens of a run's calls, including those under way. */
    tokens: (runId: number): number =>
      jobs.tokensBySubject(UPKEEP_JOB_KIND, 0).get(String(runId)) ?? 0,

    /** Sums the tokens that all runs of a task have used since a time. */
    countUsedTokens: (project: ProjectId, task: TaskName, sinceMs: number): number => {
      let sum = 0;
      for (const [runId, tokens] of jobs.tokensBySubject(UPKEEP_JOB_KIND, sinceMs)) {
        const run = findRun(Number(runId));
        if (run?.project === project && run.task === task) sum += tokens;
      }
      return sum;
    },

    /** Stops a run by hand. @returns the run that was stopped; null if none was under way */
    stop: (place: RunScope, nowMs: number): RunRecord | null =>
      driver.transaction(() => {
        const [run] = listOpenRuns(place);
        if (!run) return null;
        if (run.jobId !== null) jobs.stop(run.jobId);
        endRun(driver, run.id, { code: "stopped", nowMs });
        return run;
      }),

    undone: (id: number, undoneAtMs: number): void => void runs.update({ id }, { undoneAtMs }),
  };
}

/** Begins a run within the caller's transaction. @returns its id; null if no run could begin */
export function beginRun(
  driver: Driver,
  { project, directory, board: worker, askedBy, tasks }: NewRun,
  nowMs: number,
): number | null {
  const [task, ...rest] = tasks;
  if (task === undefined) return null;
  const holder = crypto.randomUUID();
  const row = { project, directory, task, rest, askedBy, holder, begunAtMs: nowMs };
  const begun = runTable.in(driver).insertNew(row);
  if (begun === null) return null;
  const { id } = begun;
  addStep(driver, { id, project, board: worker, askedBy, step: 1 }, nowMs);
  return id;
}

/** Adds a job for the run's next step, within the caller's transaction. */
export function addStep(
  driver: Driver,
  next: Pick<RunRecord, "id" | "project" | "askedBy"> &
    Pick<NewRun, "board"> &
    Pick<StepWork, "step">,
  nowMs: number,
): void {
  const { id, project, board: worker, askedBy, step } = next;
  const input: StepWork = { runId: id, step };
  const jobId = createJobStore(driver).add(
    {
      kind: UPKEEP_JOB_KIND,
      board: worker,
      project,
      sessionId: null,
      key: `run ${id} step ${step}`,
      urgency: askedBy === "schedule" ? "waits" : "command",
      input,
      subject: String(id),
    },
    nowMs,
  );
  if (jobId !== null) runTable.in(driver).update({ id }, { jobId });
}

/** Ends a run. Proposals that it has not carried out by then are marked as refused. */
export function endRun(
  driver: Driver,
  id: number,
  { code, nowMs }: { readonly code: string | null; readonly nowMs: number },
): void {
  runTable.in(driver).update({ id, endedAtMs: null }, { endedAtMs: nowMs, code });
  const notMade = { state: "refused", code: "not_made" } as const;
  changeTable.in(driver).update({ runId: id, state: "proposed" }, notMade);
}

/** Returns the code with which an abandoned run ends; null if the run is still under way. */
function findAbandonment(driver: Driver, run: RunRecord, nowMs: number): string | null {
  const job = run.jobId === null ? null : createJobStore(driver).find(run.jobId);
  if (!job) return "stopped";
  // The error lists the codes of the job's attempts, the newest last.
  if (job.state === "given_up") return /[^,]*$/.exec(job.error ?? "stopped")?.[0] ?? "";
  const isWaiting = job.state === "due" || job.state === "failed";
  return isWaiting && job.createdAtMs < nowMs - ABANDONED_AFTER_MS ? "abandoned" : null;
}

const SELECT_NEWEST_RUNS = `
  SELECT ${runTable.columns} FROM upkeep_run WHERE project = ? OR directory = ?
  ORDER BY id DESC LIMIT ?`;

const SELECT_STAMPS = `
  SELECT stamp_ms AS stamp FROM upkeep_change WHERE stamp_ms IS NOT NULL
  UNION SELECT undo_stamp_ms FROM upkeep_change WHERE undo_stamp_ms IS NOT NULL`;

const SELECT_LAST_CHECKS = `
  SELECT memory_id, max(looked_at_ms) AS looked_at_ms FROM upkeep_look
  JOIN upkeep_run ON upkeep_run.id = run_id WHERE project = ? AND task = ? GROUP BY memory_id`;
