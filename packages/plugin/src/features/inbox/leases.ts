// The sessions that this process drives: their leases are taken, renewed by one timer, and given back.
import type { SessionId } from "../../storage/records.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import type { Lifetime } from "./lifetime.ts";

/** A lease that is not renewed lasts this long: longer than any pause of a process that lives. */
const LEASE_MS = 120_000;
const RENEW_MS = 20_000;

export class Leases {
  readonly #held = new Set<SessionId>();
  #renewal: "none" | "due" = "none";

  constructor(
    private readonly deps: Pick<InboxDeps, "database" | "owner" | "isProcessDead" | "now">,
    private readonly lifetime: Pick<Lifetime, "later">,
  ) {}

  has(sessionId: SessionId): boolean {
    return this.#held.has(sessionId);
  }

  /** Takes or renews the lease; `none`: another process has it. @throws StorageError */
  take(sessionId: SessionId): "held" | "none" {
    const { owner, isProcessDead } = this.deps;
    const nowMs = this.deps.now();
    const request = { sessionId, owner, isProcessDead, nowMs, expiresAtMs: nowMs + LEASE_MS };
    if (this.deps.database().leases.acquire(request) === "held") {
      this.#held.delete(sessionId);
      return "none";
    }
    this.#held.add(sessionId);
    if (this.#renewal === "none") this.#renewLater();
    return "held";
  }

  /** @throws StorageError */
  giveBack(sessionId: SessionId): void {
    if (!this.#held.delete(sessionId)) return;
    this.deps.database().leases.release(sessionId, this.deps.owner);
  }

  /** @throws StorageError */
  giveAllBack(): void {
    for (const sessionId of this.#held) this.giveBack(sessionId);
  }

  #renewLater(): void {
    this.#renewal = "due";
    this.lifetime.later("lease", RENEW_MS, () => this.#renew());
  }

  /** The next renewal is planned first: one that fails drops the rest. */
  #renew(): void {
    this.#renewal = "none";
    if (this.#held.size === 0) return;
    this.#renewLater();
    for (const sessionId of this.#held) this.take(sessionId);
  }
}
