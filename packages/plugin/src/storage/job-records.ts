// Jobs: model calls of ours and what users ask for, as they are stored.
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";

/**
 * `due`: waits for its turn. `running`: under a lease. `settled`: its proposal waits for a boundary or a
 * store. `taken`, `stale`: so it came out. `failed`: it will be tried again. `given_up`: it won't.
 */
export type JobState = "due" | "running" | "settled" | "taken" | "stale" | "failed" | "given_up";

/** `command`: the user asked for it, and gives the provider's cache up for it. */
type JobUrgency = "command" | "waits";

export interface NewJob {
  readonly kind: string;
  /** The directory of the project. */
  readonly project: string;
  readonly sessionId: SessionId | null;
  /** The same work is one row. */
  readonly key: string;
  readonly urgency: JobUrgency;
  readonly input: unknown;
  /** What its feature finds it by, in words of its kind; null: nobody looks for it. */
  readonly subject: string | null;
}

export interface JobRecord extends NewJob {
  readonly id: number;
  readonly state: JobState;
  readonly attempts: number;
  readonly owner: string | null;
  readonly expiresAtMs: number | null;
  readonly dueAtMs: number;
  readonly proposal: unknown;
  /** `provider/model` */
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The host's session that the call is made in, as long as it may be there. */
  readonly childSessionId: SessionId | null;
  /** Why attempts failed: a code each, oldest first, with commas between; never a text of others. */
  readonly error: string | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly settledAtMs: number | null;
}

/** What a boundary may take. */
interface StoredProposal {
  readonly id: number;
  readonly kind: string;
  readonly urgency: JobUrgency;
  readonly output: unknown;
}

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
  readonly proposal: unknown;
  readonly model: string | null;
}

interface JobFailure extends TokenCharge {
  /** A code without a comma. */
  readonly error: string;
  readonly model: string | null;
  /** When it is tried again; null: it is given up. */
  readonly retryAtMs: number | null;
}

interface Settling {
  readonly nowMs: number;
  /** What the output comes to in other tables, in the same transaction: the job is `taken` then. */
  readonly write: ((driver: Driver) => void) | null;
}

/** What the decision on what to do next sees of a job. */
export const glimpsed = [
  ...(["id", "kind", "sessionId", "urgency", "state", "attempts"] as const),
  ...(["owner", "expiresAtMs", "dueAtMs", "error", "startedAtMs"] as const),
] as const;

export type JobGlimpse = Pick<JobRecord, (typeof glimpsed)[number]>;

/** What there is to decide on, of one project. */
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

/** A job's session in the host, and whether it may still be in use. */
interface LeftChild {
  readonly id: number;
  readonly childSessionId: SessionId;
}

/** One table, one runner. Each write is one short transaction, and only the lease's owner settles. */
export interface JobStore {
  /** Null where the same work has a row already. */
  add(job: NewJob, nowMs: number): number | null;
  /** Work that a command has done at once: its proposal waits already. */
  addSettled(job: NewJob, proposal: unknown, nowMs: number): number | null;
  now(project: string, sinceMs: number): JobsNow;
  /** Of one session: those of its jobs that `JobsNow.begun` has. */
  begunIn(sessionId: SessionId, sinceMs: number): readonly JobGlimpse[];
  /** Of one kind in one session, oldest first. */
  ofKind(kind: string, sessionId: SessionId): readonly FoundJob[];
  /** Tokens of a kind's jobs that were begun since then, those under way included, by subject. */
  tokensBySubject(kind: string, sinceMs: number): ReadonlyMap<string | null, number>;
  find(id: number): FoundJob | null;
  /**
   * One job, if nobody else runs one of its project: a job whose lease has run out, or whose owner is
   * gone, is not being run.
   */
  take(id: number, lease: JobLease, isGone: (owner: string) => boolean): JobRecord | null;
  /** @returns false where the lease was lost. */
  renew(id: number, lease: JobLease): boolean;
  /**
   * Where the call is about to be made, so that it can be cleaned up after a kill, and what it is
   * expected to cost, so that a kill takes it out of no budget.
   * @returns false where the lease was lost.
   */
  callsIn(id: number, owner: string, childSessionId: SessionId, charge: TokenCharge): boolean;
  /** The call's session is gone from the host. */
  forgetChild(id: number, childSessionId: SessionId): void;
  /** @returns false where the lease was lost or the row is settled already: nothing is written then. */
  settle(id: number, owner: string, outcome: JobOutcome, settling: Settling): boolean;
  fail(id: number, owner: string, failure: JobFailure): boolean;
  /** Its process ends in order: the job is due again, and the attempt does not count. */
  release(id: number, owner: string, charge: TokenCharge): void;
  /** Killed too often: it is not tried again. */
  giveUpKilled(id: number, attempts: number): void;
  /** By hand: one that is not done is due at once, with all its attempts. @returns false: there is none. */
  retry(id: number, nowMs: number): boolean;
  /** By hand: one that is not done is given up; its run ends without a settlement. */
  stop(id: number): boolean;
  /** Settled and not yet taken, of this session, in the order in which they were made. */
  proposals(sessionId: SessionId): readonly StoredProposal[];
  /** Newest first. */
  list(project: string, count: number): readonly JobRecord[];
  /** Sessions of the host's that no running job of the project uses any more. */
  leftChildren(
    project: string,
    nowMs: number,
    isGone: (owner: string) => boolean,
  ): readonly LeftChild[];
}

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
