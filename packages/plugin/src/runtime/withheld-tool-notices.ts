// Our own tools that calls are left without, as there would be more than a provider takes.
import { BoundedMap } from "../context/bounded-map.ts";
import type { OfferedCall, WithheldToolNames } from "../feature-api/offered-call.ts";
import type { SessionId } from "../storage/records.ts";

type Caller = Pick<OfferedCall, "sessionId" | "agent" | "providerId" | "modelId">;

/** The most sessions whose newest call is held. */
const MAX_SESSIONS = 256;

export class WithheldToolNotices {
  readonly #newest = new BoundedMap<SessionId, { agent: string; names: readonly string[] }>(
    MAX_SESSIONS,
  );

  constructor(
    /** Ours, by name. */
    private readonly own: readonly string[],
    private readonly decide: WithheldToolNames,
  ) {}

  /** Of a call whose tools the host names. */
  among(call: Caller, tools: ReadonlySet<string>): readonly string[] {
    const own = this.own.filter((name) => tools.has(name));
    return this.decide({ ...pickCaller(call), own, others: tools.size - own.length });
  }

  /** Of a call whose tools nobody names; `lacked` are ours that it doesn't offer anyway. */
  beside(call: Caller, lacked: ReadonlySet<string>): readonly string[] {
    const own = this.own.filter((name) => !lacked.has(name));
    const names = this.decide({ ...pickCaller(call), own, others: null });
    this.#newest.set(call.sessionId, { agent: call.agent, names });
    return names;
  }

  /** What `beside` has found for the session's newest call, if it is this agent's. */
  newest(sessionId: SessionId, agent: string): readonly string[] {
    const newest = this.#newest.get(sessionId);
    return newest?.agent === agent ? newest.names : [];
  }
}

function pickCaller({ sessionId, agent, providerId, modelId }: Caller): Caller {
  return { sessionId, agent, providerId, modelId };
}
