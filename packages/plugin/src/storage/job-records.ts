// Defines the table of jobs (the plugin's own model calls), and the types of jobs that the runner and features use.
import { anyJson, brandedText, integer, knownValue, nullable, text } from "./column.ts";
import type { Driver } from "./driver.ts";
import type { ProjectId, SessionId } from "./records.ts";
import { localSessionRules, type RowOf, table } from "./table.ts";

export const jobTable = table(
  "job",
  {
    id: integer,
    kind: text,
    /** The worker (host and folder) that can run the job; a runner takes only its own worker's jobs. */
    board: text,
    /** The job's project; null until the worker's project is known. */
    project: nullable(brandedText<ProjectId>()),
    sessionId: nullable(brandedText<SessionId>()),
    /** Jobs for the same work share a key, and so one row. */
    key: text,
    /** `command` means that the user asked for the job, so it comes first. */
    urgency: knownValue(["command", "waits"]),
    /**
     * `due` jobs wait for their turn, and `running` ones have a lease. The result of `settled` ones is
     * stored, `failed` ones will be tried again, and `given_up` ones won't.
     */
    state: knownValue(["due", "running", "settled", "failed", "given_up"]),
    attempts: integer,
    owner: nullable(text),
    expiresAtMs: nullable(integer),
    dueAtMs: integer,
    input: anyJson,
    /**
     * Names what the job is about, in the kind's own terms, so that its feature can find it; null if nobody
     * needs to.
     */
    subject: nullable(text),
    /** The model as `provider/model`. */
    model: nullable(text),
    inputTokens: integer,
    outputTokens: integer,
    /** The host's session in which the call is made, as long as that session may exist; otherwise null. */
    childSessionId: nullable(brandedText<SessionId>()),
    /** Holds one code per failed attempt, oldest first, separated by commas; never text from elsewhere. */
    error: nullable(text),
    createdAtMs: integer,
    startedAtMs: nullable(integer),
    settledAtMs: nullable(integer),
  },
  // Jobs depend on this machine's paths, so an export leaves them out.
  {
    ...{ key: ["id"], ...localSessionRules },
    sql: {
      columns: {
        attempts: "DEFAULT 0 CHECK (attempts >= 0)",
        inputTokens: "DEFAULT 0",
        outputTokens: "DEFAULT 0",
      },
      constraints: ["UNIQUE (kind, key)"],
      extras: `
CREATE INDEX job_by_state ON job (board, state, due_at_ms);
CREATE INDEX job_by_project ON job (project, state, due_at_ms);
CREATE INDEX job_by_session ON job (session_id, state);
CREATE TRIGGER job_settles_once BEFORE UPDATE OF state ON job WHEN OLD.state = 'settled' BEGIN
  SELECT RAISE(ABORT, 'a job settles at most once');
END;`,
    },
  },
);

export type JobRecord = RowOf<typeof jobTable>;

export type JobState = JobRecord["state"];

export type NewJob = Pick<
  JobRecord,
  "kind" | "board" | "project" | "sessionId" | "key" | "urgency" | "input" | "subject"
>;

/** Says where a job runs, and which project it belongs to. */
export type JobPlace = Pick<JobRecord, "board" | "project">;

/** A job that its runner has taken. */
export type TakenJob = JobRecord & { readonly project: ProjectId };

export interface JobLease {
  readonly owner: string;
  readonly nowMs: number;
  readonly expiresAtMs: number;
}

/** Counts tokens of an attempt that are not recorded yet; negative if too many were charged. */
export interface TokenCharge {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface JobOutcome extends TokenCharge {
  readonly model: string | null;
}

export interface JobFailure extends TokenCharge {
  /** The failure's code, without a comma. */
  readonly error: string;
  readonly model: string | null;
  /** The time of the next attempt; null if the job is given up. */
  readonly retryAtMs: number | null;
}

export interface JobSettlement {
  readonly nowMs: number;
  /** Writes the job's result to other tables in the same transaction. */
  readonly write: (driver: Driver) => void;
}

/** Lists the columns that scheduling reads of a job. */
export const jobSummaryColumns = [
  ...(["id", "kind", "board", "sessionId", "urgency", "state", "attempts"] as const),
  ...(["owner", "expiresAtMs", "dueAtMs", "error", "startedAtMs"] as const),
] as const;

export type JobSummary = Pick<JobRecord, (typeof jobSummaryColumns)[number]>;

/** Holds what scheduling decides on for one project, whichever workers its jobs belong to. */
export interface ProjectJobs {
  /** The jobs that are due, failed or running, oldest first. */
  readonly open: readonly JobSummary[];
  /**
   * The newest jobs of each kind and session that started within the day, newest first, whatever their result.
   */
  readonly begun: readonly JobSummary[];
  /** Tokens of the jobs that started within the day, by session; null stands for jobs without a session. */
  readonly spentTokens: ReadonlyMap<SessionId | null, number>;
}

/** Lists the columns that a feature sees of its jobs. */
export const foundJobColumns = ["id", "state", "error", "subject", "createdAtMs"] as const;

export type FoundJob = Pick<JobRecord, (typeof foundJobColumns)[number]>;

/** Returns the codes that `error` holds, oldest first. */
export function listFailureCodes({ error }: Pick<JobRecord, "error">): readonly string[] {
  return error === null ? [] : error.split(",");
}

/** Says whether the job waits to run or is running. */
export function isOpen({ state }: Pick<JobRecord, "state">): boolean {
  return state === "due" || state === "running" || state === "failed";
}

/** Says whether a living owner runs the job under a valid lease. */
export function isRunningJob(
  { state, owner, expiresAtMs }: Pick<JobRecord, "state" | "owner" | "expiresAtMs">,
  nowMs: number,
  isGone: (owner: string) => boolean,
): boolean {
  return state === "running" && owner !== null && (expiresAtMs ?? 0) > nowMs && !isGone(owner);
}
