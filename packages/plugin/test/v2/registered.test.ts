// What setup registers with the host, and that all of it is taken back at the end.
import { afterEach, beforeEach, expect, test } from "bun:test";
import plugin from "../../src/index.ts";
import type { V2Command, V2Tool } from "../../src/v2/context.ts";
import { ownFolder } from "./stage.ts";

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

test("the hooks, tools and commands of the rooms that OpenCode 2 has a place for", async () => {
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
