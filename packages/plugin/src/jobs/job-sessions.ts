// Which of the host's sessions are a job's: the one place that says so.
import type { SessionId } from "../storage/records.ts";
import type { Question } from "./job.ts";

/** The one call that a child session is for. */
export interface ChildCall extends Question {
  readonly maxOutputTokens: number;
}

/** What a hook of a child session's does with a call. */
export type Passage =
  | { readonly kind: "first"; readonly call: ChildCall }
  /** A retry, a further step, a compaction, or a session that another process has left. */
  | { readonly kind: "refused" };

/** The most that are remembered: events may follow a session's end. */
const REMEMBERED = 512;

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
  readonly #known = new Set<string>();
  readonly #calls = new Map<string, { readonly call: ChildCall; passed: boolean }>();
  /** Why the host wanted to call again; the child is stopped then. */
  readonly #refusals = new Map<string, string>();

  /** Answered, and the host would call again: the model has called a tool. They are stopped then. */
  readonly #unfinished = new Set<string>();

  /** Every session that the host tells of, with its title. */
  sawSession(id: string, title: string): void {
    if (jobOfTitle(title) !== null) this.#know(id);
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#known.has(id);
  }

  begin(id: SessionId, call: ChildCall): void {
    this.#know(id);
    this.#calls.set(id, { call, passed: false });
  }

  /** Of the call that is being prepared. */
  callOf(id: string): ChildCall | null {
    return this.#calls.get(id)?.call ?? null;
  }

  /** The call goes to the provider: once. */
  pass(id: string): Passage {
    const held = this.#calls.get(id);
    if (!held || held.passed) return { kind: "refused" };
    held.passed = true;
    return { kind: "first", call: held.call };
  }

  /** Whether the call was made: what the host wants next is another one. */
  hasPassed(id: string): boolean {
    return this.#calls.get(id)?.passed ?? true;
  }

  /** The host is going to call again, as it says: the provider has failed. */
  sawRetry(id: string, message: string): void {
    this.#refusals.set(id, message);
  }

  retryOf(id: string): string | null {
    return this.#refusals.get(id) ?? null;
  }

  /** The host wants a further call of a session that has had its one. */
  sawFurtherCall(id: string): void {
    this.#unfinished.add(id);
  }

  isUnfinished(id: string): boolean {
    return this.#unfinished.has(id);
  }

  /** The call is over; the session is still known. */
  end(id: SessionId): void {
    this.#calls.delete(id);
    this.#unfinished.delete(id);
    this.#refusals.delete(id);
  }

  #know(id: string): void {
    this.#known.delete(id);
    this.#known.add(id);
    if (this.#known.size <= REMEMBERED) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      break;
    }
  }
}
