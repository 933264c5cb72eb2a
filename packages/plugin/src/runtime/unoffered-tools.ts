// Finds which of our own tools a call is not offered, by its tool list or by the host's permissions.
import * as z from "zod";
import { BoundedMap } from "../context/bounded-map.ts";
import { mapMaybePromise } from "../context/system-context.ts";
import type { ListWithheldTools, OfferedCall } from "../feature-api/extension-point.ts";
import type { Feature } from "../feature-api/feature.ts";
import type { HostApi } from "../feature-api/feature-context.ts";
import { buildInputSchema, type ToolDeclaration } from "../feature-api/tool.ts";
import type { HostMessage } from "../ledger/message.ts";
import { estimateTokens } from "../ledger/tokens.ts";
import type { ToolQuery } from "../session/call-deps.ts";
import { NamePattern } from "../sources/glob-pattern.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import type { SessionId } from "../storage/records.ts";

// Decides whether a call is offered a tool of ours, by the host's own rule for permissions.

const ruleSchema = z.object({ permission: z.string(), pattern: z.string(), action: z.string() });
const rulesSchema = z.array(ruleSchema);

/**
 * Says whether the tool is offered. The last rule that matches the tool's name counts, and removes the tool
 * only if it denies it altogether (OpenCode 1.18.33). Null if these are not the rules of a known host.
 */
export function isToolOffered(tool: string, rules: unknown): boolean | null {
  const read = rulesSchema.safeParse(rules);
  if (!read.success) return null;
  const last = read.data.findLast(({ permission }) => matchesPattern(permission, tool));
  return !(last && last.pattern === "*" && last.action === "deny");
}

/**
 * Matches a pattern with `*` and `?` in linear time: a project may supply the rules, and a RegExp would
 * backtrack.
 */
function matchesPattern(pattern: string, tool: string): boolean {
  const shape = pattern.replace(/\*+/g, "*");
  // Every character of the pattern except a star needs a character of the name.
  if (shape.length > 2 * tool.length + 1) return false;
  return new NamePattern(shape.replace(/[^*?]/gu, "\\$&")).test(tool);
}

/** Says who makes a history's next call. */
interface ToolCaller {
  readonly sessionId: string;
  readonly agent: string;
}

/** Finds the caller; null if the history has no prompt, or if the prompt itself turns the tool off. */
export function findCaller(tool: string, messages: readonly HostMessage[]): ToolCaller | null {
  const prompt = messages.findLast(({ info }) => info.role === "user");
  if (prompt?.info.agent === undefined) return null;
  const tools: unknown = Reflect.get(prompt.info, "tools");
  const own: unknown =
    typeof tools === "object" && tools !== null ? Reflect.get(tools, tool) : null;
  if (own === false) return null;
  return { sessionId: prompt.info.sessionID, agent: prompt.info.agent };
}

/** The names of tools; null if they are unknown. */
type ToolNames = ReadonlySet<string> | null;

interface PromptTools {
  /** The id of the prompt at which the host was last asked. */
  promptId: string | undefined;
  /** The tools that are withheld according to the host's newest answer. */
  withheld: ToolNames;
}

interface UnofferedToolsDeps {
  /** The names of our tools. */
  readonly own: readonly string[];
  readonly rules: HostApi["rules"];
  /**
   * Returns tools of ours that exceed the provider's limit, not counting those that the call lacks anyway.
   */
  readonly withheld: (call: ToolQuery, lacked: ReadonlySet<string>) => readonly string[];
  /** Limits how long a session's first call waits for the host's answer. */
  readonly timeoutMs: number;
}

/** Limits the pairs of session and agent whose permissions are remembered. */
const MAX_REMEMBERED_PERMISSIONS = 256;

/** Limits the wait for an answer; one that comes too late for the first call still serves later calls. */
const HOST_TIMEOUT_MS = 30_000;

/**
 * Finds withheld tools by asking for permissions once per prompt. A session's first call waits for the
 * answer; later calls use the last answer.
 */
export class UnofferedTools {
  readonly #known = new BoundedMap<string, PromptTools>(MAX_REMEMBERED_PERMISSIONS);

  constructor(private readonly deps: UnofferedToolsDeps) {}

  findNames(call: ToolQuery): ToolNames | Promise<ToolNames> {
    const { own } = this.deps;
    const { offered, messages } = call;
    if (offered !== null) return new Set(own.filter((name) => !offered.has(name)));
    return mapMaybePromise(this.#findByPermission(call), (denied) => {
      const turnedOff = own.filter((name) => findCaller(name, messages) === null);
      const lacked = new Set([...(denied ?? []), ...turnedOff]);
      const all = new Set([...lacked, ...this.deps.withheld(call, lacked)]);
      return all.size === 0 ? denied : all;
    });
  }

  #findByPermission({ sessionId, agent, messages }: ToolQuery): ToolNames | Promise<ToolNames> {
    const key = `${sessionId} ${agent}`;
    const promptId = messages.findLast(({ info }) => info.role === "user")?.info.id;
    const known = this.#known.get(key);
    if (known?.promptId === promptId && known) return known.withheld;
    const next: PromptTools = { promptId, withheld: known?.withheld ?? null };
    this.#known.set(key, next);
    const asking = this.#askHost(next, sessionId, agent);
    return known ? known.withheld : withTimeout(this.deps.timeoutMs, asking, () => null);
  }

  /** Asks the host. Never rejects. */
  async #askHost(
    next: PromptTools,
    sessionId: ToolQuery["sessionId"],
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
      // The host has no permissions, or refuses: its last answer holds until the next prompt.
      return next.withheld;
    }
  }
}

// Withholds our own tools from calls that would have more tools than a provider accepts, and reports it.

type CallIdentity = Pick<OfferedCall, "sessionId" | "agent" | "providerId" | "modelId">;

/** Limits the sessions whose newest call is remembered. */
const MAX_REMEMBERED_SESSIONS = 256;

export class WithheldToolLookup {
  readonly #newest = new BoundedMap<SessionId, { agent: string; names: readonly string[] }>(
    MAX_REMEMBERED_SESSIONS,
  );

  constructor(
    /** The names of our tools. */
    private readonly own: readonly string[],
    private readonly decide: ListWithheldTools,
  ) {}

  /** Finds the withheld tools of a call whose tools the host names. */
  listForTools(call: CallIdentity, tools: ReadonlySet<string>): readonly string[] {
    const own = this.own.filter((name) => tools.has(name));
    return this.decide({ ...pickCallIdentity(call), own, others: tools.size - own.length });
  }

  /**
   * Finds the withheld tools of a call whose tools are unknown; `lacked` names tools of ours that the call
   * isn't offered anyway.
   */
  listExcluding(call: CallIdentity, lacked: ReadonlySet<string>): readonly string[] {
    const own = this.own.filter((name) => !lacked.has(name));
    const names = this.decide({ ...pickCallIdentity(call), own, others: null });
    this.#newest.set(call.sessionId, { agent: call.agent, names });
    return names;
  }

  /** Returns the result of `listExcluding` for the session's newest call, if this agent made the call. */
  newest(sessionId: SessionId, agent: string): readonly string[] {
    const newest = this.#newest.get(sessionId);
    return newest?.agent === agent ? newest.names : [];
  }
}

function pickCallIdentity({ sessionId, agent, providerId, modelId }: CallIdentity): CallIdentity {
  return { sessionId, agent, providerId, modelId };
}

// Counts the tokens of our tools in each request that offers them.

/** Counts tokens by tool name. */
export function countTokensByTool(features: readonly Feature[]): ReadonlyMap<string, number> {
  const declared = features.flatMap(({ tools }) => tools ?? []);
  return new Map(declared.map((tool) => [tool.name, countToolTokens(tool)]));
}

function countToolTokens({ name, description, args }: ToolDeclaration): number {
  // Of the four formats of a tool, Anthropic's is the longest.
  const tool = {
    name,
    description,
    input_schema: buildInputSchema(args),
    eager_input_streaming: true,
  };
  return estimateTokens(JSON.stringify(tool));
}
