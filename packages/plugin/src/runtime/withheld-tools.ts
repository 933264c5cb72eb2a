// Which of our own tools a call is not offered: by its tool list, else by the host's permissions.
import { BoundedMap } from "../context/bounded-map.ts";
import { mapMaybePromise } from "../context/maybe-promise.ts";
import type { HostApi } from "../feature-api/feature-context.ts";
import type { ToolQuestion } from "../session/call-deps.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import { findCaller, isToolOffered } from "./offered-tools.ts";

/** By name; null: nobody knows. */
type WithheldNames = ReadonlySet<string> | null;

interface PromptTools {
  /** The prompt at which the host was asked last. */
  promptId: string | undefined;
  /** Its newest answer. */
  withheld: WithheldNames;
}

interface WithheldDeps {
  /** Our own, by name. */
  readonly own: readonly string[];
  readonly rules: HostApi["rules"];
  /** Ours that would be too many for the call's provider, of those that it doesn't lack anyway. */
  readonly aside: (call: ToolQuestion, lacked: ReadonlySet<string>) => readonly string[];
  /** How long the first call of a session waits for the host's answer. */
  readonly timeoutMs: number;
}

/** The most pairs of session and agent whose permissions are held. */
const MAX_ENTRIES = 256;

/** An answer that comes after the first call holds for the next ones. */
const HOST_TIMEOUT_MS = 30_000;

/**
 * Permissions are asked for once a prompt. A session's first call waits for the answer; later ones take the
 * last one there is.
 */
export class WithheldTools {
  readonly #known = new BoundedMap<string, PromptTools>(MAX_ENTRIES);

  constructor(private readonly deps: WithheldDeps) {}

  of(call: ToolQuestion): WithheldNames | Promise<WithheldNames> {
    const { own } = this.deps;
    const { offered, messages } = call;
    if (offered !== null) return new Set(own.filter((name) => !offered.has(name)));
    return mapMaybePromise(this.#byPermission(call), (denied) => {
      const turnedOff = own.filter((name) => findCaller(name, messages) === null);
      const lacked = new Set([...(denied ?? []), ...turnedOff]);
      const all = new Set([...lacked, ...this.deps.aside(call, lacked)]);
      return all.size === 0 ? denied : all;
    });
  }

  #byPermission({
    sessionId,
    agent,
    messages,
  }: ToolQuestion): WithheldNames | Promise<WithheldNames> {
    const key = `${sessionId} ${agent}`;
    const promptId = messages.findLast(({ info }) => info.role === "user")?.info.id;
    const known = this.#known.get(key);
    if (known?.promptId === promptId && known) return known.withheld;
    const next: PromptTools = { promptId, withheld: known?.withheld ?? null };
    this.#known.set(key, next);
    const asking = this.#ask(next, sessionId, agent);
    return known ? known.withheld : withTimeout(this.deps.timeoutMs, asking, () => null);
  }

  /** Never rejects. */
  async #ask(
    next: PromptTools,
    sessionId: ToolQuestion["sessionId"],
    agent: string,
  ): Promise<WithheldNames> {
    const { own, rules } = this.deps;
    try {
      const given = await rules(sessionId, agent, { timeoutMs: HOST_TIMEOUT_MS });
      const offered = own.map((name) => isToolOffered(name, given));
      next.withheld = offered.includes(null)
        ? null
        : new Set(own.filter((_, index) => offered[index] === false));
      return next.withheld;
    } catch {
      // A host that has no permissions, or refuses to give them: what was known holds, until the next prompt.
      return next.withheld;
    }
  }
}
