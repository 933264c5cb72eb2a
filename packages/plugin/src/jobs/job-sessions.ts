// Which of the host's sessions are a job's: the one place that says so.

import { BoundedMap } from "../context/bounded-map.ts";
import type { Question } from "../feature-api/job.ts";
import type { SessionId } from "../storage/records.ts";

/** The one call that a child session is for. */
export interface ChildCall extends Question {
  readonly maxOutputTokens: number;
}

/** The most that are remembered: events may follow a session's end. */
const MAX_SESSIONS = 512;

export const TITLE = "Session Runtime job ";

const WHOLE_TITLE = /^Session Runtime job (\d{1,15}) \([0-9a-f]{8}\)$/;

/**
 * Names the job in the host, where another process finds it after a kill, and removes it. The mark keeps
 * a user's session about a job from being taken for one: eight hexadecimal digits by chance.
 */
export function childTitle(jobId: number, mark: string): string {
  return `${TITLE}${jobId} (${mark})`;
}

/** Null where the title is not one of ours. */
export function jobOfTitle(title: string): number | null {
  const id = WHOLE_TITLE.exec(title)?.[1];
  return id === undefined ? null : Number(id);
}

/**
 * A job's session is known by what the host's events say of it, before its id is known here; by its
 * id from then on; and after a restart by its title again.
 */
export class JobSessions {
  readonly #known = new BoundedMap<string, true>(MAX_SESSIONS);
  readonly #open = new Map<string, OpenChild>();

  /** Every session that the host reports, with its title. */
  sawSession(id: string, title: string): void {
    if (jobOfTitle(title) !== null) this.#known.set(id, true);
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#known.has(id);
  }

  begin(id: SessionId, call: ChildCall): void {
    this.#known.set(id, true);
    this.#open.set(id, { call, hasPassed: false, retry: null, isUnfinished: false });
  }

  /** Of the call that is being prepared. */
  findChildCall(id: string): ChildCall | null {
    return this.#open.get(id)?.call ?? null;
  }

  /**
   * The call goes to the provider: once. Null: it must not; a retry, a further step, a compaction, or a
   * session that another process has left.
   */
  pass(id: string): ChildCall | null {
    const open = this.#open.get(id);
    if (!open || open.hasPassed) return null;
    open.hasPassed = true;
    return open.call;
  }

  /** Whether the call was made: what the host wants next is another one. */
  hasPassed(id: string): boolean {
    return this.#open.get(id)?.hasPassed ?? true;
  }

  /** The host is going to call again, as it says: the provider has failed. */
  sawRetry(id: string, message: string): void {
    const open = this.#open.get(id);
    if (open) open.retry = message;
  }

  findRetry(id: string): string | null {
    return this.#open.get(id)?.retry ?? null;
  }

  /** The host wants a further call of a session that has had its one. */
  sawFurtherCall(id: string): void {
    const open = this.#open.get(id);
    if (open) open.isUnfinished = true;
  }

  isUnfinished(id: string): boolean {
    return this.#open.get(id)?.isUnfinished ?? false;
  }

  /** The call is over; the session is still known. */
  end(id: SessionId): void {
    this.#open.delete(id);
  }
}

/** A session whose call is being made. */
interface OpenChild {
  readonly call: ChildCall;
  hasPassed: boolean;
  /** Why the host wanted to call again; the child is stopped then. */
  retry: string | null;
  /** Answered, and the host would call again: the model has called a tool. It is stopped then. */
  isUnfinished: boolean;
}
