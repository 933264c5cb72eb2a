// Jobs, the plugin's own model calls, as the runner and features see them.
import type { Driver } from "./driver.ts";
import type { jobTable } from "./job-table.ts";
import type { ProjectId, SessionId } from "./records.ts";
import type { RowOf } from "./table.ts";

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

/** Counts tokens of an attempt that are not recorded yet; negative where too many were charged. */
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

export interface Settling {
  readonly nowMs: number;
  /** Writes the job's result to other tables in the same transaction. */
  readonly write: (driver: Driver) => void;
}

/** Lists the columns that scheduling reads of a job. */
export const glimpsed = [
  ...(["id", "kind", "board", "sessionId", "urgency", "state", "attempts"] as const),
  ...(["owner", "expiresAtMs", "dueAtMs", "error", "startedAtMs"] as const),
] as const;

export type JobGlimpse = Pick<JobRecord, (typeof glimpsed)[number]>;

/** Holds what scheduling decides on for one project, whichever workers its jobs belong to. */
export interface JobsNow {
  /** The jobs that are due, failed or running, oldest first. */
  readonly open: readonly JobGlimpse[];
  /**
   * The newest jobs of each kind and session that started within the day, newest first, whatever their result.
   */
  readonly begun: readonly JobGlimpse[];
  /** Tokens of the jobs that started within the day, by session; null for jobs without one. */
  readonly spentTokens: ReadonlyMap<SessionId | null, number>;
}

/** Lists the columns that a feature sees of its jobs. */
export const found = ["id", "state", "error", "subject", "createdAtMs"] as const;

export type FoundJob = Pick<JobRecord, (typeof found)[number]>;

/** Returns the codes that `error` holds, oldest first. */
export function failureCodes({ error }: Pick<JobRecord, "error">): readonly string[] {
  return error === null ? [] : error.split(",");
}

/** Says whether the job waits to run or is running. */
export function isOpen({ state }: Pick<JobRecord, "state">): boolean {
  return state === "due" || state === "running" || state === "failed";
}

/** Says whether a living owner runs the job under a valid lease. */
export function isRun(
  { state, owner, expiresAtMs }: Pick<JobRecord, "state" | "owner" | "expiresAtMs">,
  nowMs: number,
  isGone: (owner: string) => boolean,
): boolean {
  return state === "running" && owner !== null && (expiresAtMs ?? 0) > nowMs && !isGone(owner);
}
