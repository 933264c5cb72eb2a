// What setup registers with the host, and that all of it is taken back at the end.
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { V2Command, V2Tool } from "../../src/hooks-v2/context.ts";
import plugin from "../../src/index.ts";
import { ownFolder, readingModel, standIn, texts } from "./stage.ts";

let folder: ReturnType<typeof ownFolder>;
beforeEach(() => {
  folder = ownFolder();
});
afterEach(() => folder.remove());

/** A host that notes what it is asked for; one hook of its can't be taken back. */
function noting(given: object = {}) {
  const hooks: string[] = [];
  const disposed: string[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const tools: V2Tool[] = [];
  const commands: V2Command[] = [];
  const hook = async (name: string) => {
    hooks.push(name);
    const dispose = () => {
      if (name === "context") throw new Error("kept");
      disposed.push(name);
    };
    return { dispose };
  };
  async function* subscribe(options?: { readonly signal?: AbortSignal }) {
    signals.push(options?.signal);
    yield { type: "session.execution.started", data: { sessionID: "ses_1" } };
  }
  const editing = <One>(into: One[]) => ({
    transform: (edit: (editor: { add(one: One): void }) => void) =>
      edit({ add: (one) => void into.push(one) }),
  });
  const ctx = {
    ...{ location: { directory: folder.path }, session: { hook }, event: { subscribe } },
    ...{ tool: { hook, ...editing(tools) }, command: editing(commands), ...given },
  };
  return { ctx, hooks, disposed, signals, tools, commands };
}

const HOOKS = ["context", "compaction", "http.request", "execute.after"];

test("the hooks, tools and commands of the features that OpenCode 2 has a place for", async () => {
  const { ctx, hooks, tools, commands } = noting();
  const end = await plugin.setup(ctx);
  expect(hooks).toEqual(HOOKS);
  expect(tools.map(({ name }) => name)).toContain("ctx_search");
  for (const { options, input } of tools) {
    expect(options).toEqual({ codemode: false });
    expect(input).toMatchObject({ type: "object" });
  }
  const names = commands.map(({ name }) => name);
  expect(names).toContain("ctx-status");
  for (const name of ["ctx-queue", "ctx-augment"]) expect(names).not.toContain(name);
  await end?.();
});

test("at the end each hook and the events are let go of, also where one can't be taken back", async () => {
  const { ctx, disposed, signals } = noting();
  const end = await plugin.setup(ctx);
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  await end?.();
  expect(disposed).toEqual(HOOKS.slice(1));
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

test("nothing where the configuration turns the plugin off", async () => {
  const { ctx, hooks, signals, tools, commands } = noting({ options: { enabled: false } });
  const end = await plugin.setup(ctx);
  await end?.();
  expect([hooks, signals, tools, commands]).toEqual([[], [], [], []]);
});

test("the hooks of sessions alone where the host has neither tools nor commands nor events", async () => {
  const { ctx, hooks } = noting({ tool: undefined, command: undefined, event: undefined });
  const end = await plugin.setup(ctx);
  expect(hooks).toEqual(HOOKS.slice(0, 3));
  await end?.();
});

/** A host of another version, which lacks or refuses something. */
async function onHost(changed: (ctx: Record<string, object>) => object) {
  const host = standIn(
    [
      {
        id: "session-runtime",
        setup: (given) => {
          const ctx = given as Record<string, object>;
          return plugin.setup({ ...ctx, ...changed(ctx) });
        },
      },
    ],
    readingModel(3),
  );
  for (let turn = 0; turn < 13; turn++) await host.prompt("ses_1", `Read more (${turn}).`);
  const { tools, commands } = host.registry;
  const seen = { tools: [...tools.keys()], commands: [...commands.keys()] };
  await host.close();
  expect(host.failed).toEqual([]);
  expect(host.refused).toEqual([]);
  return { ...seen, folded: texts(host.sent.at(-1)).includes("<session-history>") };
}

const refusing = (names: readonly string[]) => ({
  add(one: { readonly name: string }) {
    if (names.includes(one.name)) throw new TypeError("refused");
  },
});
const FIRST = "ctx-status";

test.each<[string, (ctx: Record<string, object>) => object, readonly ["tools" | "commands"] | []]>([
  ["an editor of commands without `add`", () => ({ command: withEditor({}) }), ["commands"]],
  [
    "an editor of commands that is nothing",
    () => ({ command: withEditor(undefined) }),
    ["commands"],
  ],
  [
    "an editor of tools without `add`",
    ({ tool }) => ({ tool: { ...tool, ...withEditor({}) } }),
    ["tools"],
  ],
  ["commands without `transform`", () => ({ command: {} }), ["commands"]],
  ["no tools, and no hooks of theirs", () => ({ tool: {} }), ["tools"]],
  ["a transform that throws", () => ({ command: { transform: broken } }), ["commands"]],
  [
    "a transform that rejects",
    () => ({ command: { transform: async () => broken() } }),
    ["commands"],
  ],
  [
    "a hook that is refused",
    ({ session }) => ({ session: { ...session, hook: unlessNamed(session, "compaction") } }),
    [],
  ],
  [
    "calls of the context that are not there",
    () => ({ generate: {}, model: {}, rpc: {}, event: {} }),
    [],
  ],
])(
  "%s leaves out that feature alone: sessions go on, and are kept small",
  async (_, changed, missing) => {
    const { folded, ...registered } = await onHost(changed);
    expect(folded).toBe(true);
    for (const kind of ["tools", "commands"] as const) {
      expect([kind, registered[kind].length > 0]).toEqual([
        kind,
        !(missing as readonly string[]).includes(kind),
      ]);
    }
  },
);

test("one command that the host refuses is missing alone", async () => {
  const added: string[] = [];
  const editor = {
    add(one: { readonly name: string }) {
      refusing([FIRST]).add(one);
      added.push(one.name);
    },
  };
  const { folded, tools } = await onHost(() => ({ command: withEditor(editor) }));
  expect([folded, tools.length > 0, added.includes(FIRST)]).toEqual([true, true, false]);
  expect(added).toContain("ctx-fold");
});

function withEditor(editor: unknown) {
  return { transform: async (edit: (editor: unknown) => void) => edit(editor) };
}

function broken(): never {
  throw new Error("broken");
}

function unlessNamed(session: object | undefined, refused: string) {
  const { hook } = session as { hook(name: string, run: unknown): Promise<unknown> };
  return async (name: string, run: unknown) => (name === refused ? broken() : hook(name, run));
}
