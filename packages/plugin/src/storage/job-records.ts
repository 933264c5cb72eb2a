// Jobs: model calls of ours, as the runner and features see them.
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

/** Where a job is run, and whose it is. */
export type JobPlace = Pick<JobRecord, "board" | "project">;

/** One that its runner has. */
export type TakenJob = JobRecord & { readonly project: ProjectId };

export interface JobLease {
  readonly owner: string;
  readonly nowMs: number;
  readonly expiresAtMs: number;
}

/** Tokens of an attempt that are not on record yet; less than nothing where too many were charged. */
export interface TokenCharge {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface JobOutcome extends TokenCharge {
  readonly model: string | null;
}

export interface JobFailure extends TokenCharge {
  /** A code without a comma. */
  readonly error: string;
  readonly model: string | null;
  /** When it is tried again; null: it is given up. */
  readonly retryAtMs: number | null;
}

export interface Settling {
  readonly nowMs: number;
  /** Keeps what came of it in other tables, in the same transaction. */
  readonly write: (driver: Driver) => void;
}

/** What the decision on what to do next sees of a job. */
export const glimpsed = [
  ...(["id", "kind", "board", "sessionId", "urgency", "state", "attempts"] as const),
  ...(["owner", "expiresAtMs", "dueAtMs", "error", "startedAtMs"] as const),
] as const;

export type JobGlimpse = Pick<JobRecord, (typeof glimpsed)[number]>;

/** What there is to decide on, of one project, whichever boards its jobs are on. */
export interface JobsNow {
  /** Those that are due, failed or running, oldest first. */
  readonly open: readonly JobGlimpse[];
  /** The newest of each kind and session that were begun within the day, newest first, whatever came of them. */
  readonly begun: readonly JobGlimpse[];
  /** Tokens of the jobs that were begun within the day, by session; null: of no session. */
  readonly spentTokens: ReadonlyMap<SessionId | null, number>;
}

/** What a feature sees of its jobs. */
export const found = ["id", "state", "error", "subject", "createdAtMs"] as const;

export type FoundJob = Pick<JobRecord, (typeof found)[number]>;

/** The codes that `error` holds, oldest first. */
export function failureCodes({ error }: Pick<JobRecord, "error">): readonly string[] {
  return error === null ? [] : error.split(",");
}

/** Whether it is to be run, or is being run. */
export function isOpen({ state }: Pick<JobRecord, "state">): boolean {
  return state === "due" || state === "running" || state === "failed";
}

/** Whether somebody runs it: under a lease that holds, of an owner that lives. */
export function isRun(
  { state, owner, expiresAtMs }: Pick<JobRecord, "state" | "owner" | "expiresAtMs">,
  nowMs: number,
  isGone: (owner: string) => boolean,
): boolean {
  return state === "running" && owner !== null && (expiresAtMs ?? 0) > nowMs && !isGone(owner);
}
