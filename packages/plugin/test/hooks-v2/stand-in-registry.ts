// What plugins have registered with the stand-in, and the context that it hands them.
import type { V2Command, V2Context, V2Event, V2Model, V2Tool } from "../../src/hooks-v2/context.ts";

type Hook = (event: object) => unknown;

/** What the host does where a plugin asks for it. */
interface HostPort {
  readonly options: unknown;
  readonly directory: string;
  readonly models: readonly V2Model[];
  readonly synthetic: (sessionId: string, text: string) => void;
  readonly generate: (prompt: string) => Promise<string>;
  readonly stored: (sessionId: string) => readonly object[];
  readonly emitted?: (name: string, data: unknown) => void;
}

export class Registry {
  readonly tools = new Map<string, V2Tool>();
  readonly commands = new Map<string, V2Command>();
  /** What the plugin's part of the terminal UI has been sent. */
  readonly emitted: { readonly name: string; readonly data: unknown }[] = [];
  readonly handlers: Record<string, (input: unknown) => Promise<unknown>> = {};
  #hooks: { readonly name: string; readonly hook: Hook }[] = [];
  readonly #listeners = new Set<(event: V2Event) => void>();

  constructor(readonly port: HostPort) {}

  clear(): void {
    this.#hooks = [];
    this.#listeners.clear();
    this.tools.clear();
    this.commands.clear();
  }

  /** In the order of registration; each sees what the ones before have changed. */
  async fire(name: string, event: object): Promise<void> {
    for (const one of [...this.#hooks]) if (one.name === name) await one.hook(event);
  }

  publish(event: V2Event): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Of one plugin. */
  context(): object {
    const own: { name: string; hook: Hook }[] = [];
    const hook = async (name: string, run: Hook) => {
      const added = { name, hook: run };
      own.push(added);
      this.#hooks.push(added);
      return { dispose: async () => void this.#hooks.splice(this.#hooks.indexOf(added), 1) };
    };
    const disable = () => {
      this.#hooks = this.#hooks.filter((one) => !own.includes(one));
    };
    const { options, directory, models, synthetic, generate, stored } = this.port;
    const editing = <Added extends { readonly name: string }>(into: Map<string, Added>) => ({
      // A callback that throws disables the whole plugin, and nobody hears of it but the host's log.
      async transform(edit: (editor: { add(one: Added): void }) => void) {
        const added: string[] = [];
        const add = (one: Added) => {
          added.push(one.name);
          into.set(one.name, one);
        };
        const dispose = async () => {
          for (const name of added) into.delete(name);
        };
        try {
          edit({ add });
        } catch {
          disable();
          await dispose();
        }
        return { dispose };
      },
    });
    return {
      options,
      location: { directory },
      session: {
        hook,
        synthetic: async ({ sessionID, text }: { sessionID: string; text: string }) =>
          synthetic(sessionID, text),
        context: async ({ sessionID }: { sessionID: string }) => stored(sessionID),
        get: async ({ sessionID }: { sessionID: string }) => ({ id: sessionID }),
      },
      command: editing(this.commands),
      tool: { hook, ...editing(this.tools) },
      event: { subscribe: (given) => this.#subscribe(given?.signal) },
      generate: { text: async ({ prompt }) => ({ text: await generate(prompt) }) },
      model: { list: async () => ({ data: models }) },
      rpc: {
        register: async (_definition, handlers) => {
          Object.assign(this.handlers, handlers);
          const emit = async (name: string, data: unknown) => {
            this.emitted.push({ name, data });
            this.port.emitted?.(name, data);
          };
          return { events: { emit }, dispose: async () => undefined };
        },
      },
    } satisfies { readonly [Key in keyof V2Context]?: unknown } & Pick<
      V2Context,
      "event" | "generate" | "model" | "rpc"
    >;
  }

  /** Without an end of its own, as the host's. */
  async *#subscribe(signal: AbortSignal | undefined): AsyncGenerator<V2Event> {
    const waiting: V2Event[] = [];
    let wake = Promise.withResolvers<void>();
    const listener = (event: V2Event) => {
      waiting.push(event);
      wake.resolve();
    };
    this.#listeners.add(listener);
    signal?.addEventListener("abort", () => wake.resolve(), { once: true });
    while (!signal?.aborted) {
      const event = waiting.shift();
      if (event) {
        yield event;
        continue;
      }
      wake = Promise.withResolvers<void>();
      await wake.promise;
    }
    this.#listeners.delete(listener);
  }
}
