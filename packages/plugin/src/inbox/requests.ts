// Looks at the inbox that a caller awaits, each answered by one run.
import type { SessionId } from "../storage/records.ts";
import type { Drive } from "./drive.ts";
import type { Cause } from "./plan.ts";

/** A look at a session that somebody waits for. */
export interface Request {
  readonly cause: Cause;
  /** Null until a run has answered it, or it was dropped. */
  answer: Drive | null;
}

/**
 * Looks that are asked for and not yet taken up, by session. Whoever waits for one waits for its
 * answer: that a run has taken it up, or that some run has ended, says nothing of it.
 */
export class Requests {
  readonly #open = new Map<SessionId, Request[]>();

  /** Joins one that is asked for already. */
  ask(sessionId: SessionId, cause: Cause): Request {
    const open = this.#open.get(sessionId) ?? [];
    const same = open.find((request) => request.cause === cause);
    if (same) return same;
    const request: Request = { cause, answer: null };
    this.#open.set(sessionId, [...open, request]);
    return request;
  }

  /** The oldest one, for the run that is to answer it. */
  take(sessionId: SessionId): Request | null {
    const [first, ...rest] = this.#open.get(sessionId) ?? [];
    if (rest.length > 0) this.#open.set(sessionId, rest);
    else this.#open.delete(sessionId);
    return first ?? null;
  }

  /** Nothing comes of what was asked for until now. */
  drop(sessionId: SessionId): void {
    for (const request of this.#open.get(sessionId) ?? []) request.answer = { kind: "nothing" };
    this.#open.delete(sessionId);
  }
}
