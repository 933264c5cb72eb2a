// Leases: which process drives a session, renewed while it does.
import type { LeaseAnswer, LeaseStore } from "../storage/inbox-records.ts";
import type { SessionId } from "../storage/records.ts";

/**
 * How long a lease lasts without being renewed: longer than any pause of a process that lives. One
 * whose process has ended on this machine is taken over at once.
 */
const LEASE_MS = 120_000;
const RENEW_MS = 20_000;

export interface LeaseDeps {
  readonly leases: () => LeaseStore;
  readonly owner: string;
  /** Whether an owner is known to be gone: its process on this machine has ended. */
  readonly isGone: (owner: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls `work` once, after so many milliseconds, without keeping the process alive. */
  readonly later: (work: () => void, delayMs: number) => void;
  readonly failed: (error: unknown) => void;
}

/** The leases of this process: one for each session that it drives, renewed while it does. */
export class Leases {
  readonly #held = new Set<SessionId>();
  #renewing = false;

  constructor(private readonly deps: LeaseDeps) {}

  /** @throws StorageError */
  acquire(sessionId: SessionId): LeaseAnswer {
    const { owner, isGone, now } = this.deps;
    const nowMs = now();
    const answer = this.deps
      .leases()
      .acquire({ sessionId, owner, isGone, nowMs, expiresAtMs: nowMs + LEASE_MS });
    if (answer.kind === "mine") {
      this.#held.add(sessionId);
      this.#renewLater();
    } else this.#held.delete(sessionId);
    return answer;
  }

  isHeld(sessionId: SessionId): boolean {
    return this.#held.has(sessionId);
  }

  /** @throws StorageError */
  release(sessionId: SessionId): void {
    if (!this.#held.delete(sessionId)) return;
    this.deps.leases().release(sessionId, this.deps.owner);
  }

  releaseAll(): void {
    for (const sessionId of this.#held) this.release(sessionId);
  }

  #renewLater(): void {
    if (this.#renewing) return;
    this.#renewing = true;
    this.deps.later(() => {
      this.#renewing = false;
      try {
        for (const sessionId of this.#held) this.acquire(sessionId);
      } catch (error) {
        this.deps.failed(error);
      }
      if (this.#held.size > 0) this.#renewLater();
    }, RENEW_MS);
  }
}
