// A stand-in for OpenCode 2.0.26, built from what was read of its source: the shapes, the order of a step, and what
// happens when a plugin fails. No stable 2.x was run; each fact is checked by name in facts.test.ts.
import type {
  V2Command,
  V2ContextEvent,
  V2Message,
  V2Output,
  V2Part,
  V2Tool,
  V2ToolEvent,
} from "../../src/v2/context.ts";

export interface V2Plugin {
  readonly id: string;
  readonly setup?: (ctx: unknown) => unknown;
}

export interface Answer {
  readonly text: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: object;
  }[];
}

/** What goes to the provider. */
export interface Sent {
  readonly sessionId: string;
  readonly kind: "primary" | "compaction";
  readonly messages: readonly V2Message[];
  readonly tools: readonly string[];
}

interface StandInSettings {
  readonly options?: unknown;
  readonly model: (sent: Sent) => Answer;
  readonly runTool: (name: string, input: object) => V2Output;
}

type Event = V2ContextEvent | V2ToolEvent;
type Hook = (event: Event) => unknown;

const ROLES = new Set(["user", "assistant", "tool", "system"]);

export class StandIn {
  readonly sent: Sent[] = [];
  readonly steps: string[] = [];
  readonly failed: string[] = [];
  readonly refused: string[] = [];
  readonly #stored = new Map<string, V2Message[]>();
  readonly #waiting = new Map<string, V2Message[]>();
  readonly #hooks: { readonly name: string; readonly hook: Hook }[] = [];
  readonly #tools = new Map<string, V2Tool>();
  readonly #commands = new Map<string, V2Command>();
  #cleanups: (() => unknown)[] = [];
  #activation: Promise<void> = Promise.resolve();
  #ids = 0;

  constructor(private readonly settings: StandInSettings) {}

  /** Sessions wait until every setup has settled. */
  activate(plugins: readonly V2Plugin[]): void {
    this.#activation = this.#activateAll(plugins);
  }

  async #activateAll(plugins: readonly V2Plugin[]): Promise<void> {
    for (const { id, setup } of plugins) {
      if (!setup) {
        this.refused.push(id);
        continue;
      }
      try {
        const cleanup = await setup(this.#context());
        if (typeof cleanup === "function") this.#cleanups.push(() => cleanup());
      } catch {
        this.refused.push(id);
      }
    }
  }

  async reload(plugins: readonly V2Plugin[]): Promise<void> {
    await this.close();
    this.activate(plugins);
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups) await cleanup();
    this.#cleanups = [];
    this.#hooks.length = 0;
    this.#tools.clear();
    this.#commands.clear();
  }

  #context(): object {
    const hook = async (name: string, run: Hook) => {
      const added = { name, hook: run };
      this.#hooks.push(added);
      return { dispose: async () => void this.#hooks.splice(this.#hooks.indexOf(added), 1) };
    };
    return {
      options: this.settings.options,
      session: {
        hook,
        synthetic: async ({ sessionID, text }: { sessionID: string; text: string }) =>
          this.#enqueue(sessionID, text),
      },
      command: {
        transform: (edit: (editor: { add(command: V2Command): void }) => void) =>
          edit({ add: (command) => void this.#commands.set(command.name, command) }),
      },
      tool: {
        hook,
        transform: (edit: (editor: { add(tool: V2Tool): void }) => void) =>
          edit({ add: (tool) => void this.#tools.set(tool.name, tool) }),
      },
    };
  }

  async command(sessionID: string, name: string): Promise<void> {
    await this.#activation;
    await this.#commands.get(name)?.execute({ sessionID });
  }

  stored(sessionId: string): V2Message[] {
    const stored = this.#stored.get(sessionId) ?? [];
    this.#stored.set(sessionId, stored);
    return stored;
  }

  /** An instruction has changed: its text enters at the next step. */
  instruct(sessionId: string, text: string): void {
    this.stored(sessionId).push({ role: "system", content: [{ type: "text", text }] });
  }

  #enqueue(sessionId: string, text: string): void {
    const waiting = this.#waiting.get(sessionId) ?? [];
    waiting.push({ id: this.#id("msg"), role: "user", content: [{ type: "text", text }] });
    this.#waiting.set(sessionId, waiting);
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}_${String(this.#ids).padStart(6, "0")}`;
  }

  async prompt(sessionId: string, text: string): Promise<void> {
    this.#enqueue(sessionId, text);
    try {
      while ((await this.#step(sessionId)) === "again");
    } catch {
      this.failed.push(sessionId);
    }
  }

  async #step(sessionId: string): Promise<"again" | "done"> {
    await this.#activation;
    this.steps.push("activation", "epoch", "delivery");
    const stored = this.stored(sessionId);
    stored.push(...(this.#waiting.get(sessionId) ?? []));
    this.#waiting.delete(sessionId);
    this.steps.push("load", "compaction decision", "context");
    const messages = await this.#fire("context", sessionId, stored);
    this.steps.push("model.request", "http");
    const sent = this.#send({
      sessionId,
      kind: "primary",
      messages,
      tools: [...this.#tools.keys()],
    });
    const { text, calls = [] } = this.settings.model(sent);
    stored.push({
      id: this.#id("msg"),
      role: "assistant",
      content: [
        { type: "text", text },
        ...calls.map((call): V2Part => ({ type: "tool-call", ...call })),
      ],
    });
    for (const call of calls) stored.push(await this.#called(sessionId, call));
    if (calls.length > 0) this.steps.push("tools");
    return calls.length > 0 ? "again" : "done";
  }

  /** Invalid messages fail the step, and no request goes out. */
  #send(sent: Sent): Sent {
    for (const { role, content } of sent.messages) {
      if (!ROLES.has(role) || !Array.isArray(content)) throw new Error("invalid message");
    }
    const kept = structuredClone(sent);
    this.sent.push(kept);
    return kept;
  }

  async #fire(name: string, sessionId: string, stored: readonly V2Message[]) {
    const event: V2ContextEvent = {
      sessionID: sessionId,
      agent: "build",
      model: { id: "opus", providerID: "anthropic" },
      messages: structuredClone(stored),
    };
    await this.#run(name, event);
    return event.messages;
  }

  /** In the order of registration; each sees what the ones before have changed. */
  async #run(name: string, event: Event): Promise<void> {
    for (const one of [...this.#hooks]) if (one.name === name) await one.hook(event);
  }

  async #called(
    sessionID: string,
    { id, name, input }: NonNullable<Answer["calls"]>[number],
  ): Promise<V2Message> {
    const result = await this.#result(sessionID, { id, name, input });
    return { role: "tool", content: [{ type: "tool-result", id, name, result }] };
  }

  async #result(
    sessionID: string,
    { id, name, input }: NonNullable<Answer["calls"]>[number],
  ): Promise<{ type: "text" | "error"; value: unknown }> {
    try {
      const own = this.#tools.get(name);
      const signal = new AbortController().signal;
      const call = { sessionID, agent: "build", messageID: `msg_of_${id}`, signal };
      const result = own ? await own.execute(input, call) : this.settings.runTool(name, input);
      const event: V2ToolEvent = { tool: name, id, status: "completed", result };
      await this.#run("execute.after", event);
      return { type: "text", value: this.#bounded(event.result ?? {}) };
    } catch (error) {
      return { type: "error", value: error instanceof Error ? error.message : "failed" };
    }
  }

  /** The head alone, unless the result says that it is truncated already. */
  #bounded({ content, metadata }: V2Output): string {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    return metadata?.truncated ? text : text.split("\n").slice(0, 2_000).join("\n");
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
    const asked: V2Message = {
      id: this.#id("msg"),
      role: "user",
      content: [{ type: "text", text: "Summarize." }],
    };
    const sent = this.#send({
      sessionId,
      kind: "compaction",
      messages: [...messages, asked],
      tools: [],
    });
    const { text } = this.settings.model(sent);
    const checkpoint: V2Message = {
      id: this.#id("msg"),
      role: "user",
      content: [{ type: "text", text: `<conversation-checkpoint>${text}` }],
    };
    stored.splice(0, older.length, checkpoint);
  }
}
