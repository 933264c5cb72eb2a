import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { closeSync, existsSync, openSync, writeFileSync, writeSync } from "node:fs";
import type { Hooks } from "@opencode-ai/plugin";
import { listDeclaredCommands } from "../../src/feature-api/declared-commands.ts";
import type { FeatureHooks } from "../../src/feature-api/feature-hooks.ts";
import { compactionFeature } from "../../src/features/compaction/feature.ts";
import { inboxFeature } from "../../src/features/inbox/feature.ts";
import type { ComposedPlugin } from "../../src/hooks/compose.ts";
import { registerCommands } from "../../src/hooks/host-names.ts";
import { author, model, PluginStage } from "./composed-plugin.ts";

let stage: PluginStage;

beforeEach(() => {
  stage = new PluginStage();
});
afterEach(() => stage.close());

/** No pattern knows it for a credential: a message must not get as far as that. */
const SECRET = "the user's own words";
const PAGE_BYTES = 4096;
const GOES_ON = "The turn continues with what is stored, or with the host's own request.";

const broken = (): never => {
  throw new TypeError(`undefined is no function (near '${SECRET}')`);
};

interface Breakage {
  readonly hook: keyof Hooks;
  /** What the user reads as the part that failed. */
  readonly where: string;
  readonly breaks: (plugin: ComposedPlugin) => { mockRestore(): void };
  /** What the host hands to the hook, as far as it is read. */
  readonly input: (stage: PluginStage) => readonly object[];
}

function requireHooks({ featureInstances }: ComposedPlugin, name: string): FeatureHooks {
  const hooks = featureInstances.find(({ feature }) => feature === name)?.hooks;
  if (!hooks) throw new Error(`${name} has no hooks`);
  return hooks;
}

const sessionID = "ses_1";
const settled = (tool: string) => () => [
  { sessionID, tool, callID: "call_1", args: {} },
  { title: "a.md", output: "its text", metadata: { loaded: [] } },
];

const breakages: Readonly<Record<string, Breakage>> = {
  "messages.transform, when sources are observed and nothing is decided": {
    hook: "experimental.chat.messages.transform",
    where: "messages.transform",
    breaks: ({ hostConfig }) => spyOn(hostConfig, "prune").mockImplementation(broken),
    input: (stage) => [{}, { messages: stage.history() }],
  },
  "system.transform, when the Baseline is composed and not handed over": {
    hook: "experimental.chat.system.transform",
    where: "system.transform",
    breaks: ({ runtime }) => {
      const compose = runtime.composeSystem.bind(runtime);
      return spyOn(runtime, "composeSystem").mockImplementation((call) => {
        compose(call);
        return broken();
      });
    },
    input: (stage) => [stage.systemInput(), { system: stage.system() }],
  },
  "chat.message": {
    hook: "chat.message",
    where: "inbox.arriving",
    breaks: (plugin) => spyOn(requireHooks(plugin, "inbox"), "arriving").mockImplementation(broken),
    input: (stage) => {
      const row = stage.history().at(-1);
      return [{ sessionID }, { message: row?.info, parts: row?.parts }];
    },
  },
  "chat.params": {
    hook: "chat.params",
    where: "chat.params",
    breaks: ({ modelOptions }) =>
      spyOn(modelOptions, "resolvePartition").mockImplementation(broken),
    input: () => [
      { sessionID, agent: "build", model, provider: { options: {} } },
      { temperature: 1, options: { effort: "high" } },
    ],
  },
  "shell.env": {
    hook: "shell.env",
    where: "shell.env",
    breaks: ({ shellEnvironment }) =>
      spyOn(shellEnvironment, "resolveOverlay").mockImplementation(broken),
    input: () => [{ cwd: "/work" }, { env: { PATH: "/bin" } }],
  },
  "session.compacting": {
    hook: "experimental.session.compacting",
    where: "continuity.compacting",
    breaks: (plugin) =>
      spyOn(requireHooks(plugin, "continuity"), "compacting").mockImplementation(broken),
    input: () => [{ sessionID }, { context: ["theirs"] }],
  },
  "tool.definition": {
    hook: "tool.definition",
    where: "tool.definition",
    breaks: ({ runtime }) => spyOn(runtime.turns, "recordTool").mockImplementation(broken),
    input: () => [{ toolID: "read" }, { description: "Reads.", parameters: {} }],
  },
  "tool.execute.after of a read": {
    hook: "tool.execute.after",
    where: "tool.execute.after",
    breaks: ({ runtime }) => spyOn(runtime, "stripKnownInstructions").mockImplementation(broken),
    input: settled("read"),
  },
  "tool.execute.after of any tool": {
    hook: "tool.execute.after",
    where: "tool-output.toolSettled",
    breaks: (plugin) =>
      spyOn(requireHooks(plugin, "tool-output"), "toolSettled").mockImplementation(broken),
    input: settled("bash"),
  },
  event: {
    hook: "event",
    where: "event",
    breaks: ({ runtime }) => spyOn(runtime, "setStatus").mockImplementation(broken),
    input: () => {
      const properties = { sessionID, status: { type: "busy" } };
      return [{ event: { type: "session.status", properties } }];
    },
  },
  config: {
    hook: "config",
    where: "config",
    breaks: ({ hostConfig }) => spyOn(hostConfig, "listPlugins").mockImplementation(broken),
    input: () => {
      const config = { instructions: ["RULES.md"] };
      registerCommands(config, listDeclaredCommands([inboxFeature, compactionFeature]));
      return [config];
    },
  },
  dispose: {
    hook: "dispose",
    where: "dispose",
    breaks: ({ runtime }) => spyOn(runtime.turns, "flush").mockImplementation(broken),
    input: () => [],
  },
};

/** One call of a hook by the host; what it had handed to it, before and after. */
async function called({ hook, input }: Breakage) {
  const run = stage.hooks[hook] as unknown as (...input: readonly object[]) => Promise<void>;
  const handed = input(stage);
  const before = structuredClone(handed);
  await run(...handed);
  return { before, after: handed };
}

/** Two turns, the second one's update in the history. */
async function underWay(): Promise<void> {
  stage.rows.user(author, stage.world.nowMs, "hello");
  await stage.call();
  stage.rows.assistant(author, stage.world.nowMs, { finish: "stop" });
  stage.rows.user(author, stage.world.nowMs, "and now?");
  stage.world.apply({ of: "file", place: "app", state: 2 });
  expect(JSON.stringify(await stage.call())).toContain("<system-update>");
}

describe("I15: an unexpected error of ours", () => {
  for (const [moment, breakage] of Object.entries(breakages)) {
    const { where, breaks } = breakage;
    test(`in ${moment}: the host keeps its own input, the user is told once what happened and what to do`, async () => {
      await underWay();
      const breach = breaks(stage.plugin);
      for (const time of ["once", "again"]) {
        const { before, after } = await called(breakage);
        expect([time, after]).toEqual([time, before]);
      }
      breach.mockRestore();
      expect(stage.toasts).toEqual([
        `Session Runtime failed in ${where} (TypeError). ${GOES_ON} See /ctx-status and the log, and report it if the problem persists.`,
      ]);
      const lines = await stage.log();
      const code = `${where}_failed`;
      const failed = lines.filter(({ event }) => event === "hook.failed");
      const fault = { where, code, error: "TypeError", level: "error" };
      expect(failed).toMatchObject([fault, fault]);
      expect(failed[0]?.frame).toContain("guard.test.ts");
      const notices = lines.filter(({ event }) => event === "notice");
      expect(notices).toMatchObject([{ code, level: "warn" }]);
      expect(JSON.stringify([lines, stage.toasts])).not.toContain(SECRET);
    });
  }

  test("in messages.transform leaves the system string alone too, and the next call is as the former one was", async () => {
    await underWay();
    const former = await stage.call();
    const breach = spyOn(stage.plugin.hostConfig, "prune").mockImplementation(broken);
    const own = { messages: stage.history(), system: stage.system() };
    expect(await stage.call()).toEqual(own);
    breach.mockRestore();
    expect(await stage.call()).toEqual(former);
  });

  test("I14: in session.compacting leaves the compaction's own pass no boundary; the next call is one", async () => {
    await underWay();
    const breach = spyOn(requireHooks(stage.plugin, "continuity"), "compacting").mockImplementation(
      broken,
    );
    await stage.hooks["experimental.session.compacting"]?.({ sessionID }, { context: [] });
    breach.mockRestore();
    stage.world.apply({ of: "file", place: "app", state: 3 });
    const messages = stage.history();
    await stage.hooks["experimental.chat.messages.transform"]?.({}, { messages });
    expect(JSON.stringify(messages)).not.toContain("Rule 3 of app.");
    expect(JSON.stringify((await stage.call()).messages)).toContain("Rule 3 of app.");
  });
});

describe("K3: a lock in the middle of an epoch", () => {
  test("I15: what is stored is replayed, nothing new is told, and the notice says so", async () => {
    await underWay();
    const former = await stage.call();
    stage.plugin.runtime.turns.flush();
    const other = new Database(stage.databasePath);
    other.run("BEGIN IMMEDIATE");
    stage.world.apply({ of: "file", place: "app", state: 3 });
    expect(await stage.call()).toEqual(former);
    other.run("ROLLBACK");
    other.close();
    expect(stage.toasts).toEqual([
      `The Session Runtime database ${stage.databasePath} is locked by another process. Nothing was written, and the next turn tries again. If this persists, close other processes that use it. ${GOES_ON} See /ctx-status.`,
    ]);
    expect(JSON.stringify((await stage.call()).messages)).toContain("Rule 3 of app.");
  });
});

describe("K3: a damaged database", () => {
  test("is moved aside as it is opened, its new name told, and the session has its Baseline all the same", async () => {
    writeFileSync(stage.databasePath, "These are no pages. ".repeat(900));
    await underWay();
    const [aside] = stage.toasts;
    expect(stage.toasts).toHaveLength(1);
    expect(aside).toContain(`moved to ${stage.databasePath}.corrupt-`);
    expect(aside).toContain("A new one was created");
  });

  test("I15: that is met in use leaves what is committed, from memory, and is told once with what to do", async () => {
    await underWay();
    const former = await stage.call();
    stage.plugin.runtime.turns.flush();
    damage(stage.databasePath, "entry");
    stage.world.apply({ of: "file", place: "app", state: 3 });
    for (let count = 0; count < 2; count += 1) expect(await stage.call()).toEqual(former);
    expect(stage.toasts).toHaveLength(1);
    expect(stage.toasts[0]).toContain("is damaged");
    expect(stage.toasts[0]).toContain(
      "Restart: the file is then checked, and moved aside if it can't be used.",
    );
    expect(existsSync(`${stage.databasePath}.suspect`)).toBe(true);
  });
});

/** Writes over the first page of a table, as a failing disk might. */
function damage(path: string, table: string): void {
  const other = new Database(path);
  const query = other.query<{ rootpage: number }, [string]>(
    "SELECT rootpage FROM sqlite_schema WHERE name = ?",
  );
  const root = query.get(table)?.rootpage ?? 0;
  other.run("PRAGMA wal_checkpoint(TRUNCATE)");
  other.close();
  const file = openSync(path, "r+");
  writeSync(file, new Uint8Array(PAGE_BYTES).fill(0xa5), 0, PAGE_BYTES, (root - 1) * PAGE_BYTES);
  closeSync(file);
}
