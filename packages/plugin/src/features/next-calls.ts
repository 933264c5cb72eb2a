// Where rooms ask what a session's next call would be decided on.
import type { NextCall } from "../policies/view.ts";
import type { SessionId } from "../storage/records.ts";

/** Null: the session has no prompt yet. */
type Look = (sessionId: SessionId) => Promise<NextCall | null>;

export class NextCalls {
  #look: Look = async () => null;

  /** From now on this is asked. */
  lookWith(look: Look): void {
    this.#look = look;
  }

  /** Rejects where host or database can't be asked. */
  of(sessionId: SessionId): Promise<NextCall | null> {
    return this.#look(sessionId);
  }
}
