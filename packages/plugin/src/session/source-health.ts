// Tracks the sources that could not be observed, by session.
import type { SourceKey } from "../context/key.ts";
import type { ObservedContext } from "../context/observe.ts";
import type { SessionId } from "../storage/records.ts";
import { SessionSources } from "./session-sources.ts";

/** The outcome of a source's last observation, for status. */
export interface SourceHealth {
  readonly key: SourceKey;
  readonly reason: string;
  readonly sinceMs: number;
}

type FailingSources = ReadonlyMap<SourceKey, SourceHealth>;

const NONE: FailingSources = new Map();

/** The sources that could not be observed at each session's last boundary. */
export class SourceHealths {
  readonly #sessions = new Map<SessionId, FailingSources>();

  constructor(
    private readonly deps: {
      readonly now: () => number;
      /** Is called once for each source, until it has been observed again. */
      readonly sourceFailed: (key: SourceKey, reason: string) => void;
      /** Is called when a source fails in no session any more: it was observed again, or is gone. */
      readonly sourceBack: (key: SourceKey) => void;
    },
  ) {}

  of(sessionId: SessionId): readonly SourceHealth[] {
    return [...(this.#sessions.get(sessionId) ?? NONE).values()];
  }

  /** Records an observation. A source that is not in it is gone, and fails no more. */
  note(sessionId: SessionId, observed: ObservedContext): void {
    const before = this.#sessions.get(sessionId) ?? NONE;
    const failing = new Map<SourceKey, SourceHealth>();
    for (const { key, state } of observed) {
      // A source not seen yet has not failed: the host has rendered nothing in this process.
      if (state.kind !== "unavailable" || SessionSources.readOffText.has(key)) continue;
      const known = before.get(key);
      failing.set(key, known ?? { key, reason: state.reason, sinceMs: this.deps.now() });
      if (!known && !this.#fails(key)) this.deps.sourceFailed(key, state.reason);
    }
    this.#sessions.set(sessionId, failing);
    this.#reportBack(before);
  }

  forget(sessionId: SessionId): void {
    const before = this.#sessions.get(sessionId) ?? NONE;
    this.#sessions.delete(sessionId);
    this.#reportBack(before);
  }

  #reportBack(before: FailingSources): void {
    for (const key of before.keys()) if (!this.#fails(key)) this.deps.sourceBack(key);
  }

  #fails(key: SourceKey): boolean {
    return [...this.#sessions.values()].some((failing) => failing.has(key));
  }
}
