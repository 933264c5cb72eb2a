// A stand-in for OpenCode 2.0.26, built from what was read of its source: the shapes, the order of a step, and what
// happens when a plugin fails. No stable 2.x was run; each fact is checked by name in facts.test.ts.
import type {
  V2ContextEvent,
  V2Message,
  V2Model,
  V2Output,
  V2Part,
  V2ToolEvent,
} from "../../src/hooks-v2/context.ts";
import type { Answer, HostSettings, Kind, SentRequest, V2Host, V2Plugin } from "./host.ts";
import { Registry } from "./stand-in-registry.ts";

const ROLES = new Set(["user", "assistant", "tool", "system"]);
const MODEL = { id: "opus", providerID: "anthropic" };
const CHARS_PER_TOKEN = 4;
/** The host compacts where less of the window is free. */
const FULL = 0.9;
/** What is kept of the newest messages at such a compaction. */
const KEPT_TOKENS = 15_000;

interface StandInSettings extends HostSettings {
  readonly options?: unknown;
  /** The host's own tools, by name; not given: its calls don't name their tools. */
  readonly tools?: readonly string[];
  readonly providerId?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

type Call = NonNullable<Answer["calls"]>[number];

/** What the plugins of a host that was read can see of a step that failed: the session alone. */
class StepFailed extends Error {
  override readonly name = "StepFailed";
}

export class StandIn implements V2Host {
  readonly sent: SentRequest[] = [];
  readonly failed: string[] = [];
  readonly refused: string[] = [];
  readonly registry: Registry;
  readonly #stored = new Map<string, V2Message[]>();
  readonly #waiting = new Map<string, V2Message[]>();
  /** What the host notes of a message beside its content, by id. */
  readonly #notes = new Map<string, { readonly time: object; readonly tokens?: object }>();
  /** Of each session's newest answer, in tokens. */
  readonly #measured = new Map<string, number>();
  #cleanups: (() => unknown)[] = [];
  #activation: Promise<void>;
  #ids = 0;

  constructor(private readonly settings: StandInSettings) {
    const { generate = () => "" } = settings;
    this.registry = new Registry({
      options: settings.options,
      directory: process.cwd(),
      models: createModels(settings),
      synthetic: (sessionId, text) => this.#enqueue(sessionId, text),
      stored: (sessionId) =>
        this.stored(sessionId).flatMap(({ id }) => (id ? [{ id, ...this.#notes.get(id) }] : [])),
      generate: async (prompt) => generate(prompt),
    });
    this.#activation = this.#activateAll(settings.plugins);
  }

  /** Sessions wait until every setup has settled. */
  async #activateAll(plugins: readonly V2Plugin[]): Promise<void> {
    for (const { id, setup } of plugins) {
      if (!setup) {
        this.refused.push(id);
        continue;
      }
      try {
        const cleanup = await setup(this.registry.context());
        if (typeof cleanup === "function") this.#cleanups.push(() => cleanup());
      } catch {
        this.refused.push(id);
      }
    }
  }

  async reload(plugins: readonly V2Plugin[]): Promise<void> {
    await this.close();
    this.#activation = this.#activateAll(plugins);
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups) await cleanup();
    this.#cleanups = [];
    this.registry.clear();
  }

  async command(sessionID: string, name: string, text = ""): Promise<void> {
    await this.#activation;
    const call = { sessionID, prompt: { text }, delivery: "queue" } as const;
    await this.registry.commands.get(name)?.execute(call);
  }

  stored(sessionId: string): V2Message[] {
    const stored = this.#stored.get(sessionId) ?? [];
    this.#stored.set(sessionId, stored);
    return stored;
  }

  async history(sessionId: string): Promise<string> {
    return JSON.stringify(this.stored(sessionId));
  }

  /** An instruction has changed: its text enters at the next step. */
  instruct(sessionId: string, text: string): void {
    this.stored(sessionId).push({ role: "system", content: [{ type: "text", text }] });
  }

  #enqueue(sessionId: string, text: string): void {
    const waiting = this.#waiting.get(sessionId) ?? [];
    waiting.push({ id: this.#message(), role: "user", content: [{ type: "text", text }] });
    this.#waiting.set(sessionId, waiting);
  }

  /** The id of a new one. */
  #message(): string {
    const id = this.#id("msg");
    const created = this.#nowMs();
    this.#notes.set(id, { time: { created } });
    return id;
  }

  #nowMs(): number {
    return (this.settings.now ?? Date.now)();
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}_${String(this.#ids).padStart(6, "0")}`;
  }

  async prompt(sessionId: string, text: string): Promise<void> {
    await this.#activation;
    this.#enqueue(sessionId, text);
    this.#publish("session.execution.started", sessionId, {});
    try {
      while ((await this.#step(sessionId)) === "again");
      this.#publish("session.execution.succeeded", sessionId, {});
    } catch {
      this.failed.push(sessionId);
      this.#publish("session.execution.failed", sessionId, {});
    }
    // A real host's events arrive while nothing waits for them; here they are through before the next step.
    await Bun.sleep(0);
  }

  #publish(type: string, sessionID: string, data: object): void {
    this.registry.publish({ type, data: { sessionID, ...data } });
  }

  async #step(sessionId: string): Promise<"again" | "done"> {
    await this.#activation;
    const stored = this.stored(sessionId);
    stored.push(...(this.#waiting.get(sessionId) ?? []));
    this.#waiting.delete(sessionId);
    await this.#compactIfFull(sessionId);
    const own = [...(this.settings.tools ?? []), ...this.registry.tools.keys()];
    const offered = Object.fromEntries(own.map((name) => [name, {}]));
    const messages = await this.#fire(
      "context",
      sessionId,
      stored,
      this.settings.tools ? offered : undefined,
    );
    const tools = Object.keys(offered);
    const sent = await this.#send({ sessionId, kind: "primary", messages, tools });
    const answer = await this.settings.model(sent);
    const { text, calls = [] } = answer;
    const id = this.#message();
    const parts = calls.map((call): V2Part => ({ type: "tool-call", ...call }));
    stored.push({ id, role: "assistant", content: [{ type: "text", text }, ...parts] });
    this.#bill(sent, id, answer);
    for (const call of calls) stored.push(await this.#called(sessionId, call));
    return calls.length > 0 ? "again" : "done";
  }

  /** What the provider charges: the prefix that it saw in the session's former call is read from its cache. */
  #bill(sent: SentRequest, assistantMessageID: string, answer: Answer): void {
    const { sessionId } = sent;
    const former = this.sent.findLast((one) => one !== sent && one.sessionId === sessionId);
    const same = sent.messages.findIndex(
      (message, at) => JSON.stringify(message) !== JSON.stringify(former?.messages[at]),
    );
    const read = countTokens(same < 0 ? sent.messages : sent.messages.slice(0, same));
    const write = countTokens(sent.messages) - read;
    const output = countTokens([answer]);
    this.#measured.set(sessionId, read + write + output);
    const tokens = { input: 0, output, reasoning: 0, cache: { read, write } };
    const time = { created: this.#nowMs(), completed: this.#nowMs() };
    this.#notes.set(assistantMessageID, { time, tokens });
    this.#publish("session.step.ended", sessionId, {
      assistantMessageID,
      finish: answer.calls ? "tool-calls" : "stop",
      cost: (read * 0.5 + write * 6.25 + output * 25) / 1e6,
      tokens,
    });
  }

  /** Invalid messages fail the step, and no request goes out. */
  async #send(sent: SentRequest): Promise<SentRequest> {
    const { sessionId: sessionID, kind, messages } = sent;
    for (const { role, content } of messages) {
      if (!ROLES.has(role) || !Array.isArray(content)) throw new StepFailed();
    }
    const kept = structuredClone(sent);
    const call = { sessionID, agent: "build", model: MODEL, kind };
    await this.registry.fire("model.request", { ...call, headers: {} });
    const request = new Request("http://provider.invalid/v1/messages", {
      method: "POST",
      body: JSON.stringify({ model: MODEL.id, messages: wire(messages) }),
    });
    await this.registry.fire("http.request", { ...call, request });
    this.sent.push(kept);
    return kept;
  }

  async #fire(
    name: string,
    sessionId: string,
    stored: readonly V2Message[],
    tools?: Record<string, unknown>,
  ) {
    const { providerId: providerID = MODEL.providerID } = this.settings;
    const event: V2ContextEvent = {
      sessionID: sessionId,
      agent: "build",
      model: { ...MODEL, providerID },
      ...(tools ? { tools } : {}),
      messages: structuredClone(stored),
    };
    await this.registry.fire(name, event);
    return event.messages;
  }

  async #called(sessionID: string, call: Call): Promise<V2Message> {
    const { id, name } = call;
    const result = await this.#result(sessionID, call);
    return { role: "tool", content: [{ type: "tool-result", id, name, result }] };
  }

  async #result(
    sessionID: string,
    { id, name, input }: Call,
  ): Promise<{ type: "text" | "error"; value: unknown }> {
    try {
      const about = { sessionID, agent: "build", messageID: `msg_of_${id}` };
      await this.registry.fire("execute.before", { ...about, tool: name, id, input });
      const own = this.registry.tools.get(name);
      const call = { ...about, signal: new AbortController().signal };
      const result = own ? await own.execute(input, call) : this.settings.runTool(name, input);
      const event: V2ToolEvent = { tool: name, id, status: "completed", result };
      await this.registry.fire("execute.after", event);
      return { type: "text", value: bounded(event.result ?? {}) };
    } catch (error) {
      return { type: "error", value: error instanceof Error ? error.message : "failed" };
    }
  }

  /** By what the provider measured for the newest answer, and a guess of what came since. */
  async #compactIfFull(sessionId: string): Promise<void> {
    const { windowTokens } = this.settings;
    const stored = this.stored(sessionId);
    const answered = stored.findLastIndex(({ role }) => role === "assistant") + 1;
    const measured = this.#measured.get(sessionId) ?? countTokens(stored.slice(0, answered));
    if (windowTokens === undefined) return;
    if (measured + countTokens(stored.slice(answered)) < FULL * windowTokens) return;
    let kept = 0;
    while (kept < stored.length && countTokens(stored.slice(-kept - 1)) < KEPT_TOKENS) kept += 1;
    await this.compact(sessionId, kept);
  }

  /** The older part goes to the hook; the host's own instruction comes after it. */
  async compact(sessionId: string, keepMessages: number): Promise<void> {
    const stored = this.stored(sessionId);
    const cut = stored.findLastIndex(
      ({ role }, at) => role === "user" && at <= stored.length - keepMessages,
    );
    if (cut < 1) return;
    const older = stored.slice(0, cut);
    const messages = await this.#fire("compaction", sessionId, older);
    const text = await this.#summary(sessionId, messages);
    const checkpoint = `<conversation-checkpoint>${text}`;
    const content: readonly V2Part[] = [{ type: "text", text: checkpoint }];
    stored.splice(0, older.length, { id: this.#message(), role: "user", content });
    this.#measured.delete(sessionId);
    this.#publish("session.compaction.ended", sessionId, { reason: "manual", text, recent: "" });
  }

  async #summary(sessionId: string, messages: readonly V2Message[]): Promise<string> {
    const content: readonly V2Part[] = [{ type: "text", text: "Summarize." }];
    const asked: V2Message = { id: this.#message(), role: "user", content };
    const kind: Kind = "compaction";
    const sent = await this.#send({ sessionId, kind, messages: [...messages, asked], tools: [] });
    return (await this.settings.model(sent)).text;
  }
}

/** The head alone, unless the result says that it is truncated already. */
function bounded({ content, metadata }: V2Output): string {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return metadata?.truncated ? text : text.split("\n").slice(0, 2_000).join("\n");
}

function countTokens(of: readonly unknown[]): number {
  return Math.ceil(JSON.stringify(of).length / CHARS_PER_TOKEN);
}

/** As a provider gets them: without the host's own ids. */
function wire(messages: readonly V2Message[]): readonly object[] {
  return messages.map(({ role, content }) => ({ role, content }));
}

function createModels({ windowTokens }: HostSettings): readonly V2Model[] {
  if (windowTokens === undefined) return [];
  const cost = [{ input: 5, output: 25, cache: { read: 0.5, write: 6.25 } }];
  const limit = { context: windowTokens, output: 32_000 };
  const small = { id: "haiku", providerID: "anthropic", modelID: "haiku", family: "claude-haiku" };
  const released = { released: 1 };
  return [
    { ...MODEL, modelID: MODEL.id, cost, limit, time: released },
    {
      ...small,
      cost: [{ ...cost[0], input: 1, output: 5, cache: { read: 0.1, write: 1.25 } }],
      limit,
      time: released,
    },
  ];
}
