// Withholds our own tools from calls that would have more than a provider accepts, and reports it.
import { BoundedMap } from "../context/bounded-map.ts";
import type { OfferedCall, WithheldToolNames } from "../feature-api/offered-call.ts";
import type { SessionId } from "../storage/records.ts";

type Caller = Pick<OfferedCall, "sessionId" | "agent" | "providerId" | "modelId">;

/** Limits the sessions whose newest call is remembered. */
const MAX_SESSIONS = 256;

export class WithheldToolLookup {
  readonly #newest = new BoundedMap<SessionId, { agent: string; names: readonly string[] }>(
    MAX_SESSIONS,
  );

  constructor(
    /** The names of our tools. */
    private readonly own: readonly string[],
    private readonly decide: WithheldToolNames,
  ) {}

  /** Finds the withheld tools of a call whose tools the host names. */
  among(call: Caller, tools: ReadonlySet<string>): readonly string[] {
    const own = this.own.filter((name) => tools.has(name));
    return this.decide({ ...pickCaller(call), own, others: tools.size - own.length });
  }

  /**
   * Finds the withheld tools of a call with unknown tools; `lacked` are tools of ours that it isn't offered
   * anyway.
   */
  beside(call: Caller, lacked: ReadonlySet<string>): readonly string[] {
    const own = this.own.filter((name) => !lacked.has(name));
    const names = this.decide({ ...pickCaller(call), own, others: null });
    this.#newest.set(call.sessionId, { agent: call.agent, names });
    return names;
  }

  /** Returns the result of `beside` for the session's newest call, if this agent made it. */
  newest(sessionId: SessionId, agent: string): readonly string[] {
    const newest = this.#newest.get(sessionId);
    return newest?.agent === agent ? newest.names : [];
  }
}

function pickCaller({ sessionId, agent, providerId, modelId }: Caller): Caller {
  return { sessionId, agent, providerId, modelId };
}
