// What open features hear of sessions: each is called under the guard, and after the send.
import type { Room, SentHistory } from "../features/feature.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { SessionId } from "../storage/records.ts";
import { guard, guardAtOnce } from "./guard.ts";

/** How long after a call's first hook its history is passed on: by then the request is on its way. */
const AFTER_SEND_MS = 30;

export class RoomEvents {
  constructor(
    private readonly rooms: readonly Room[],
    private readonly failures: FailureReporter,
  ) {}

  /** Returns at once. */
  sent(history: SentHistory): void {
    const heard = this.rooms.flatMap(({ sent }) => sent ?? []);
    if (heard.length === 0) return;
    setTimeout(() => {
      for (const hear of heard) guardAtOnce(this.failures, "features", () => hear(history));
    }, AFTER_SEND_MS).unref();
  }

  async settled(sessionId: SessionId): Promise<void> {
    for (const { settled } of this.rooms) {
      if (settled) await guard(this.failures, "features", () => settled(sessionId));
    }
  }

  removed(sessionId: SessionId): void {
    for (const { removed } of this.rooms) {
      guardAtOnce(this.failures, "features", () => removed?.(sessionId));
    }
  }

  close(): void {
    for (const { close } of this.rooms) guardAtOnce(this.failures, "features", () => close?.());
  }
}
