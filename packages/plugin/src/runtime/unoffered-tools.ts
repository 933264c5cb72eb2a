// Finds which of our own tools a call is not offered: by its tool list, or else by the host's permissions.
import { BoundedMap } from "../context/bounded-map.ts";
import { mapMaybePromise } from "../context/maybe-promise.ts";
import type { HostApi } from "../feature-api/feature-context.ts";
import type { ToolQuestion } from "../session/call-deps.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import { findCaller, isToolOffered } from "./offered-tools.ts";

/** Names tools; null where they are unknown. */
type ToolNames = ReadonlySet<string> | null;

interface PromptTools {
  /** The prompt at which the host was last asked. */
  promptId: string | undefined;
  /** The host's newest answer. */
  withheld: ToolNames;
}

interface WithheldDeps {
  /** The names of our tools. */
  readonly own: readonly string[];
  readonly rules: HostApi["rules"];
  /**
   * Returns tools of ours that exceed the provider's limit, not counting those that the call lacks anyway.
   */
  readonly withheld: (call: ToolQuestion, lacked: ReadonlySet<string>) => readonly string[];
  /** Limits how long a session's first call waits for the host's answer. */
  readonly timeoutMs: number;
}

/** Limits the pairs of session and agent whose permissions are remembered. */
const MAX_ENTRIES = 256;

/** Limits the wait for an answer, which serves later calls if it comes after the first one. */
const HOST_TIMEOUT_MS = 30_000;

/**
 * Finds withheld tools by asking for permissions once per prompt. A session's first call waits for the answer;
 * later calls use the last one.
 */
export class UnofferedTools {
  readonly #known = new BoundedMap<string, PromptTools>(MAX_ENTRIES);

  constructor(private readonly deps: WithheldDeps) {}

  of(call: ToolQuestion): ToolNames | Promise<ToolNames> {
    const { own } = this.deps;
    const { offered, messages } = call;
    if (offered !== null) return new Set(own.filter((name) => !offered.has(name)));
    return mapMaybePromise(this.#byPermission(call), (denied) => {
      const turnedOff = own.filter((name) => findCaller(name, messages) === null);
      const lacked = new Set([...(denied ?? []), ...turnedOff]);
      const all = new Set([...lacked, ...this.deps.withheld(call, lacked)]);
      return all.size === 0 ? denied : all;
    });
  }

  #byPermission({ sessionId, agent, messages }: ToolQuestion): ToolNames | Promise<ToolNames> {
    const key = `${sessionId} ${agent}`;
    const promptId = messages.findLast(({ info }) => info.role === "user")?.info.id;
    const known = this.#known.get(key);
    if (known?.promptId === promptId && known) return known.withheld;
    const next: PromptTools = { promptId, withheld: known?.withheld ?? null };
    this.#known.set(key, next);
    const asking = this.#ask(next, sessionId, agent);
    return known ? known.withheld : withTimeout(this.deps.timeoutMs, asking, () => null);
  }

  /** Asks the host. Never rejects. */
  async #ask(
    next: PromptTools,
    sessionId: ToolQuestion["sessionId"],
    agent: string,
  ): Promise<ToolNames> {
    const { own, rules } = this.deps;
    try {
      const given = await rules(sessionId, agent, { timeoutMs: HOST_TIMEOUT_MS });
      const offered = own.map((name) => isToolOffered(name, given));
      next.withheld = offered.includes(null)
        ? null
        : new Set(own.filter((_, index) => offered[index] === false));
      return next.withheld;
    } catch {
      // A host without permissions, or one that refuses: the last answer holds until the next prompt.
      return next.withheld;
    }
  }
}
