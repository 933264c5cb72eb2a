// Keeps the last notice of a hold or a crash: it is shown once, and remembered until work continues.
import type { SessionId } from "../../storage/records.ts";
import type { InboxDeps } from "./inbox-deps.ts";

export class HoldNotices {
  readonly #texts = new Map<SessionId, string>();

  constructor(private readonly notify: InboxDeps["notify"]) {}

  /** Returns null when nothing is held. */
  of(sessionId: SessionId): string | null {
    return this.#texts.get(sessionId) ?? null;
  }

  show(sessionId: SessionId, text: string): void {
    if (this.of(sessionId) === text) return;
    this.#texts.set(sessionId, text);
    this.notify(sessionId, text);
  }

  /** A prompt was admitted, work continues, or nothing is open. */
  clear(sessionId: SessionId): void {
    this.#texts.delete(sessionId);
  }
}
