// Decides which of the host's sessions belong to a job; nothing else does.
import { BoundedMap } from "../context/bounded-map.ts";
import type { Question } from "../feature-api/job.ts";
import type { SessionId } from "../storage/records.ts";

/** The one call that a child session is made for. */
export interface ChildCall extends Question {
  readonly maxOutputTokens: number;
}

/** The most sessions that are remembered, since events may follow a session's end. */
const MAX_SESSIONS = 512;

export const TITLE_PREFIX = "Session Runtime job ";

const TITLE_PATTERN = /^Session Runtime job (\d{1,15}) \([0-9a-f]{8}\)$/;

/**
 * Names the job in the host, where another process finds and removes it after a kill. The mark, eight random
 * hexadecimal digits, keeps a user's session about a job from being mistaken for the job's own.
 */
export function renderJobTitle(jobId: number, mark: string): string {
  return `${TITLE_PREFIX}${jobId} (${mark})`;
}

/** Reads the job's id; null if the title is not one of ours. */
export function parseJobTitle(title: string): number | null {
  const id = TITLE_PATTERN.exec(title)?.[1];
  return id === undefined ? null : Number(id);
}

/**
 * Recognises a job's session: by the host's events before its id is known here, then by its id, and after a
 * restart by its title again.
 */
export class JobSessions {
  readonly #known = new BoundedMap<string, true>(MAX_SESSIONS);
  readonly #open = new Map<string, OpenChild>();

  /** Receives every session that the host reports, with its title. */
  recordSession(id: string, title: string): void {
    if (parseJobTitle(title) !== null) this.#known.set(id, true);
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#known.has(id);
  }

  beginCall(id: SessionId, call: ChildCall): void {
    this.#known.set(id, true);
    this.#open.set(id, { call, hasPassed: false, retry: null, isUnfinished: false });
  }

  /** Returns the call that is being prepared in this session; null if there is none. */
  findChildCall(id: string): ChildCall | null {
    return this.#open.get(id)?.call ?? null;
  }

  /**
   * Lets the call go to the provider once. Returns null if it must not go, because it is a retry, a further
   * step, a compaction, or belongs to a session that another process has left.
   */
  claimCall(id: string): ChildCall | null {
    const open = this.#open.get(id);
    if (!open || open.hasPassed) return null;
    open.hasPassed = true;
    return open.call;
  }

  /** Returns true if the call was made, so that whatever the host wants next is another call. */
  isClaimed(id: string): boolean {
    return this.#open.get(id)?.hasPassed ?? true;
  }

  /** Records that the host announces another call, as the provider has failed. */
  recordRetry(id: string, message: string): void {
    const open = this.#open.get(id);
    if (open) open.retry = message;
  }

  findRetry(id: string): string | null {
    return this.#open.get(id)?.retry ?? null;
  }

  /** Records that the host wants a further call in a session that has already made its only one. */
  recordFurtherCall(id: string): void {
    const open = this.#open.get(id);
    if (open) open.isUnfinished = true;
  }

  isUnfinished(id: string): boolean {
    return this.#open.get(id)?.isUnfinished ?? false;
  }

  /** Ends the call; the session is still recognised. */
  endCall(id: SessionId): void {
    this.#open.delete(id);
  }
}

/** A session whose call is being made. */
interface OpenChild {
  readonly call: ChildCall;
  hasPassed: boolean;
  /** The reason why the host wanted to call again; the child is then stopped. */
  retry: string | null;
  /** True if the model has called a tool, so that the host would call again. The child is then stopped. */
  isUnfinished: boolean;
}
