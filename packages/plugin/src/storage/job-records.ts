// Jobs: model calls of ours and what users ask for, as they are stored.
import type { SessionId } from "./records.ts";

/**
 * `due`: waits for its turn. `running`: under a lease. `settled`: its proposal waits for a boundary or a
 * store. `taken`, `stale`: so it came out. `failed`: it will be tried again. `given_up`: it won't.
 */
type JobState = "due" | "running" | "settled" | "taken" | "stale" | "failed" | "given_up";

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
  readonly inputDigest: string;
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
  /** Why the newest attempt failed: a code, never a text of others. */
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

export interface JobOutcome {
  readonly proposal: unknown;
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

interface JobFailure {
  readonly error: string;
  /** When it is tried again; null: it is given up. */
  readonly retryAtMs: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** One table, one runner. Each write is one short transaction, and only the lease's owner settles. */
export interface JobStore {
  /** Null where the same work has a row already. */
  add(job: NewJob, nowMs: number): number | null;
  /** Work that a command has done at once: its proposal waits already. */
  addSettled(job: NewJob, proposal: unknown, nowMs: number): number | null;
  /** The next due one of the project, or one whose owner's lease has run out; none while another runs. */
  take(project: string, lease: JobLease): JobRecord | null;
  /** @returns false where the lease was lost. */
  renew(id: number, lease: JobLease): boolean;
  /** Where the call is made, so that it can be cleaned up after a kill. */
  callsIn(id: number, owner: string, childSessionId: SessionId | null): void;
  /** @returns false where the lease was lost or the row is settled already: nothing is written then. */
  settle(id: number, owner: string, outcome: JobOutcome, nowMs: number): boolean;
  fail(id: number, owner: string, failure: JobFailure): boolean;
  /** A proposal that was held against the present and did not fit any more. */
  markStale(ids: readonly number[]): void;
  /** Settled and not yet taken, of this session, in the order in which they were made. */
  proposals(sessionId: SessionId): readonly StoredProposal[];
  /** Newest first. */
  list(project: string, count: number): readonly JobRecord[];
  /** Tokens of attempts that were started since. */
  spentTokens(
    scope: { readonly project: string; readonly sessionId: SessionId | null },
    sinceMs: number,
  ): number;
  /** Child sessions that a killed process may have left in the host. */
  leftChildren(
    project: string,
    nowMs: number,
  ): readonly { readonly id: number; readonly childSessionId: SessionId }[];
  /** How many of the newest attempts have failed in a row, and when the last one did. */
  failuresInARow(project: string): { readonly count: number; readonly lastAtMs: number };
}
