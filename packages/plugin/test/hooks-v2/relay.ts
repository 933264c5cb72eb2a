// Plugins of a check in a real host: a small module stands there in each one's place, and hands every call on to the
// test's own process, where the plugin is.
import type { V2Plugin } from "./host.ts";

/** What the module in the host loads and what it hands on: JSON both ways. Written against the API as read. */
export function relayModule(id: string, url: string): string {
  return `const ask = async (path, body) => {
  const response = await fetch(${JSON.stringify(`${url}/relay/${id}/`)} + path, {
    method: "POST",
    body: JSON.stringify(body, (key, value) => (key === "signal" || key === "progress" ? undefined : value)),
  });
  const { error, value } = await response.json();
  if (error !== undefined) throw new Error(error);
  return value;
};
const withBody = async (event) =>
  event.request ? { ...event, request: { url: event.request.url, body: await event.request.clone().text() } } : event;
const setup = async (ctx) => {
  const { hooks, tools, commands, listens } = await ask("setup", { directory: ctx.location?.directory });
  for (const { domain, name } of hooks) {
    await ctx[domain].hook(name, async (event) => {
      const changed = await ask("hook", { domain, name, event: await withBody(event) });
      for (const [key, value] of Object.entries(changed)) if (key !== "request") event[key] = value;
    });
  }
  if (tools.length > 0) {
    ctx.tool.transform((editor) => {
      for (const tool of tools) {
        editor.add({ ...tool, execute: (input, call) => ask("tool", { name: tool.name, input, call }) });
      }
    });
  }
  if (commands.length > 0) {
    ctx.command.transform((editor) => {
      for (const command of commands) {
        editor.add({ ...command, execute: (call) => ask("command", { name: command.name, call }) });
      }
    });
  }
  if (listens) {
    void (async () => {
      for await (const event of ctx.event.subscribe()) await ask("event", { event });
    })();
  }
  return () => ask("close", {});
};
export default ${id === "refused" ? "{ id: 'refused' }" : `{ id: ${JSON.stringify(id)}, setup }`};
`;
}

/** A tool or a command. */
interface NamedHook {
  readonly name: string;
  readonly execute: (...given: readonly unknown[]) => unknown;
}

type Hook = (event: Record<string, unknown>) => unknown;

/** How a plugin's own calls of its context reach the host. */
interface HostCalls {
  readonly synthetic: (input: object) => Promise<void>;
  readonly generate: (question: object) => Promise<unknown>;
  readonly models: () => Promise<unknown>;
}

/** One plugin in the test's process; each method answers a call of its module in the host. */
export class RelayedHost {
  readonly #hooks: { readonly domain: string; readonly name: string; readonly hook: Hook }[] = [];
  readonly #tools = new Map<string, NamedHook>();
  readonly #commands = new Map<string, NamedHook>();
  readonly #events = new EventQueue();
  #listens = false;
  #cleanup: unknown;

  constructor(
    private readonly plugin: V2Plugin,
    private readonly host: HostCalls,
  ) {}

  async answer(path: string, body: Record<string, unknown>): Promise<unknown> {
    switch (path) {
      case "setup":
        return this.#setup(body);
      case "hook":
        return this.#hook(body);
      case "tool":
        return this.#tools.get(String(body.name))?.execute(body.input, body.call);
      case "command":
        return this.#commands.get(String(body.name))?.execute(body.call);
      case "event":
        return this.#events.push(body.event);
      case "close":
        return typeof this.#cleanup === "function" ? this.#cleanup() : undefined;
      default:
        throw new Error(`No relay answers ${path}.`);
    }
  }

  async #setup(location: object): Promise<object> {
    const domain = (name: string) => ({
      hook: async (hookName: string, hook: Hook) => {
        this.#hooks.push({ domain: name, name: hookName, hook });
        return { dispose: async () => undefined };
      },
    });
    const editing = (into: Map<string, NamedHook>) => ({
      transform: (edit: (editor: { add(one: NamedHook): void }) => void) =>
        edit({ add: (one) => void into.set(one.name, one) }),
    });
    const subscribe = () => {
      this.#listens = true;
      return this.#events;
    };
    const { synthetic, generate, models } = this.host;
    this.#cleanup = await this.plugin.setup?.({
      location,
      session: { ...domain("session"), synthetic },
      tool: { ...domain("tool"), ...editing(this.#tools) },
      command: editing(this.#commands),
      event: { subscribe },
      generate: { text: generate },
      model: { list: models },
    });
    const hooks = this.#hooks.map(({ domain: of, name }) => ({ domain: of, name }));
    const [tools, commands] = [this.#tools, this.#commands].map((all) => [...all.values()]);
    return { hooks: distinct(hooks), tools, commands, listens: this.#listens };
  }

  /** The event as all of the plugin's hooks of this name leave it. */
  async #hook({ domain, name, event }: Record<string, unknown>): Promise<object> {
    const changed = event as Record<string, unknown>;
    if (changed.request) changed.request = toRequest(changed.request);
    for (const one of this.#hooks) {
      if (one.domain === domain && one.name === name) await one.hook(changed);
    }
    return changed;
  }
}

function toRequest(given: unknown): Request {
  const { url, body } = given as { readonly url: string; readonly body: string };
  return new Request(url, { method: "POST", body });
}

function distinct<T extends object>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** What the host publishes, for the one listener of a plugin. */
class EventQueue {
  readonly #waiting: unknown[] = [];
  #wake = Promise.withResolvers<void>();

  push(event: unknown): void {
    this.#waiting.push(event);
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift();
      this.#wake = Promise.withResolvers<void>();
      await this.#wake.promise;
    }
  }
}
