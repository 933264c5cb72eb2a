// What the hooks pass on: to the runtime, to the features, and to nobody where an instance stays idle.
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { OpenCommand } from "../../src/feature-api/command.ts";
import { listDeclaredCommands } from "../../src/feature-api/declared-commands.ts";
import type { FeatureHooks, OutgoingCall } from "../../src/feature-api/feature-hooks.ts";
import type { ArrivingPrompt } from "../../src/feature-api/prompt.ts";
import { compactionFeature } from "../../src/features/compaction/feature.ts";
import { inboxFeature } from "../../src/features/inbox/feature.ts";
import { ErrorForHost } from "../../src/hooks/command.ts";
import { JOB_AGENT, registerCommands, registerJobAgent } from "../../src/hooks/host-names.ts";
import { countTokensByTool } from "../../src/runtime/unoffered-tools.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { author, type HostEvent, model, PluginStage } from "./composed-plugin.ts";

const sessionID = "ses_1";
let heard: string[] = [];
let sending: OutgoingCall[] = [];
let boundaries: [string, number][] = [];
let stage: PluginStage;

const hooks: FeatureHooks = {
  sending: (call) => void sending.push(call),
  boundary: ({ sessionId, history }) => void boundaries.push([sessionId, history.length]),
  toolSettled: async ({ tool, callId }) => void heard.push(`${tool} ${callId}`),
  started: () => void heard.push("started"),
  opened: async (sessionId) => void heard.push(`opened ${sessionId}`),
  arriving: async (prompt: ArrivingPrompt, refuse) => {
    if (prompt.message.id === "msg_refused") refuse("The rules can't be read.");
  },
};

beforeEach(() => {
  heard = [];
  sending = [];
  boundaries = [];
  stage = new PluginStage([{ hooks }]);
});
afterEach(() => stage.close());

const event = (type: string, properties: object) => ({ type, properties }) as unknown as HostEvent;
const status = (type: string) => event("session.status", { sessionID, status: { type } });

/** Another instance works on the same directory. */
function doubled(): void {
  const config = {};
  stage.plugin.hostConfig.take(config, () => undefined);
  stage.plugin.hostConfig.take(config, () => undefined);
}

describe("the runtime hears", () => {
  test("when a session is busy, when it rests, and when it is deleted", async () => {
    const { runtime } = stage.plugin;
    await stage.plugin.database.ensure();
    const saw = spyOn(runtime, "setStatus");
    const removed = spyOn(runtime, "removeSession");
    await stage.hear(event("session.compacted", { sessionID }));
    expect([saw.mock.calls, removed.mock.calls]).toEqual([[], []]);
    await stage.hear(status("busy"));
    await stage.hear(status("idle"));
    expect(saw.mock.calls).toEqual([
      [sessionID as SessionId, "busy"],
      [sessionID as SessionId, "idle"],
    ]);
    expect(removed).not.toHaveBeenCalled();
    await stage.hear(event("session.deleted", { info: { id: sessionID } }));
    expect(removed.mock.calls).toEqual([[sessionID as SessionId]]);
  });

  test("of an MCP server whose tools have changed", async () => {
    const changed = spyOn(stage.plugin.runtime.turns, "recordServerChange");
    await stage.hear(event("mcp.tools.changed", { server: "search" }));
    expect(changed.mock.calls).toEqual([["search"]]);
  });
});

describe("the user is warned at the start", () => {
  test("of another plugin that rewrites messages, and of nothing where there is none", async () => {
    const codes = () => stage.plugin.notices.all().map(({ code }) => code);
    const begin = async (plugin: readonly string[]) => {
      const config = { plugin: [...plugin] };
      registerCommands(config, listDeclaredCommands([inboxFeature, compactionFeature]));
      stage.plugin.hostConfig.take(config, () => undefined);
      await stage.hooks.config?.(config);
    };
    await begin(["opencode-wakatime"]);
    expect(codes().filter((code) => code.startsWith("rewriters"))).toEqual([]);
    await begin(["opencode-dcp"]);
    expect(codes().filter((code) => code.startsWith("rewriters"))).toEqual(["rewriters_loaded"]);
  });
});

describe("a feature hears", () => {
  const input = (changes: object = {}) =>
    ({
      ...{ sessionID, agent: author.agent, model: { ...model, api: { ...model.api, url: "u" } } },
      ...{ provider: { options: {} } },
      ...changes,
    }) as never;

  test("of the agent's call before it is sent, and to whom; not of the host's own", async () => {
    const params = stage.hooks["chat.params"];
    await params?.(input(), { options: {} } as never);
    expect(sending).toEqual([]);
    await stage.prompt("hello");
    await stage.call();
    await params?.(input({ agent: "title" }), { options: {} } as never);
    expect(sending).toEqual([]);
    await params?.(input(), { options: {} } as never);
    const provider = { options: { baseURL: "https://example.com", fetch: () => null } };
    await params?.(input({ provider }), { options: {} } as never);
    const silent = { ...model, api: { ...model.api, url: "" } };
    await params?.(input({ model: silent }), { options: {} } as never);
    const to = { providerId: model.providerID, apiId: model.api.id, npm: model.api.npm };
    expect(sending.map((call) => call.to)).toEqual([
      { ...to, baseUrl: "u", fetch: "host" },
      { ...to, baseUrl: "https://example.com", fetch: "own" },
      { ...to, baseUrl: null, fetch: "host" },
    ]);
    expect(sending[0]).toMatchObject({
      sessionId: sessionID as SessionId,
      agent: "build",
      epochNumber: 1,
    });
    const fellBack = spyOn(stage.plugin.runtime.turns, "recordFallback").mockImplementation(() => {
      // What the runtime makes of it has its own tests.
    });
    sending[0]?.fellBack("a/b", "refused" as never);
    expect(fellBack.mock.calls).toEqual([[sessionID as SessionId, "a/b", "refused" as never]]);
  });

  test("of each boundary with the history as the host has it, but not of a compaction's own pass", async () => {
    await stage.prompt("hello");
    await stage.call();
    expect(boundaries).toEqual([[sessionID, 1]]);
    await stage.hooks["experimental.session.compacting"]?.({ sessionID }, { context: [] });
    await stage.hooks["experimental.chat.messages.transform"]?.({}, { messages: stage.history() });
    expect(boundaries).toHaveLength(1);
  });

  test("of each tool that has ended, and a read without a text is not settled, but not of one that ended without a result", async () => {
    const after = stage.hooks["tool.execute.after"];
    const call = { sessionID, tool: "bash", callID: "call_1", args: {} };
    await after?.(call, undefined as never);
    await after?.(call, null as never);
    expect(heard).toEqual([]);
    expect(stage.plugin.notices.all()).toEqual([]);
    await after?.(call, { title: "", output: "text", metadata: {} });
    expect(heard).toEqual(["bash call_1"]);
    const settled = spyOn(stage.plugin.runtime, "stripKnownInstructions");
    await after?.({ ...call, tool: "read" }, { output: { picture: 1 } } as never);
    expect(settled).not.toHaveBeenCalled();
  });

  test("a terminal UI's command, and the host's start, but nothing at all where the instance is idle", async () => {
    await stage.hooks.config?.({});
    const greeted = spyOn(stage.plugin.screen, "onGreeted");
    await stage.hear(event("tui.command.execute", { command: "session.list" }));
    expect(heard).toEqual(["started"]);
    const { failures } = stage.plugin;
    expect(greeted.mock.calls).toEqual([
      ["session.list", { content: expect.any(Object), failures }],
    ]);
    doubled();
    const after = stage.hooks["tool.execute.after"];
    await stage.hear(event("tui.command.execute", { command: "session.list" }));
    await after?.(
      { sessionID, tool: "bash", callID: "call_1", args: {} },
      { title: "", output: "", metadata: {} },
    );
    expect(heard).toEqual(["started"]);
    expect(greeted).toHaveBeenCalledTimes(1);
  });

  test("an arriving prompt, which it may refuse in a sentence that the host's callers read", async () => {
    const arrives = async (id: string) => {
      const output = { message: { id, role: "user" }, parts: [] };
      return stage.hooks["chat.message"]?.({ sessionID }, output as never);
    };
    await arrives("msg_1");
    await expect(arrives("msg_refused")).rejects.toEqual(
      new ErrorForHost("The rules can't be read."),
    );
  });
});

describe("an idle instance", () => {
  test("leaves the system strings to the other one, and learns nothing of the call", async () => {
    await stage.prompt("hello");
    doubled();
    const learned = spyOn(stage.plugin.catalogue, "learn");
    const { system } = await stage.call();
    expect(system).toEqual(stage.system());
    expect(learned).not.toHaveBeenCalled();
  });
});

describe("a command", () => {
  test("gets the files that were attached to it, and the screen is informed", async () => {
    await stage.close();
    const taken: unknown[] = [];
    const command: OpenCommand = {
      ...{ kind: "action", name: "ctx-keep", dialog: () => null },
      act: async (call) => {
        taken.push(call);
        return { text: "Kept.", shownBy: "note" };
      },
    };
    stage = new PluginStage([{ commands: [command] }]);
    const config = {};
    const words = { title: "", description: "", shows: "answer" } as const;
    registerCommands(config, [{ ...words, name: "ctx-keep" }]);
    const changed = spyOn(stage.plugin.screen, "changed");
    await stage.hooks.config?.(config);
    const file = { type: "file", mime: "text/plain", url: "file:///a" };
    const run = stage.hooks["command.execute.before"]?.(
      { command: "ctx-keep", sessionID, arguments: "this" },
      { parts: [file, { type: "text", text: "x" }] as never },
    );
    await expect(run).rejects.toThrow("Kept.");
    expect(changed).toHaveBeenCalledWith(sessionID as SessionId);
    expect(taken).toEqual([
      { sessionId: sessionID, args: "this", files: [file], process: "stays" },
    ]);
  });
});

describe("what the host's config gets", () => {
  test("the agent of jobs: hidden, without tools, beside the user's own", () => {
    const config = { agent: { mine: { prompt: "Mine." } } };
    registerJobAgent(config);
    expect(config.agent).toEqual({
      mine: { prompt: "Mine." },
      [JOB_AGENT]: {
        ...{ mode: "primary", hidden: true, description: "Session Runtime: background jobs" },
        ...{ prompt: "You answer one question.", permission: { "*": "deny" } },
      },
    } as never);
  });
});

describe("a call of the host's own", () => {
  test("for a title keeps the host's settings; an agent's has the configured ones", async () => {
    const { modelOptions } = stage.plugin;
    const options = spyOn(modelOptions, "resolvePartition").mockReturnValue({
      ...{ generation: { temperature: 0.5 }, options: { effort: "high" }, faults: [] },
    });
    const params = async (agent: string) => {
      const output = { temperature: 1, options: {} };
      const given = { sessionID, agent, model, provider: { options: {} } };
      await stage.hooks["chat.params"]?.(given as never, output as never);
      return output;
    };
    for (const agent of ["title", "summary", "compaction"]) {
      expect(await params(agent)).toEqual({ temperature: 1, options: {} });
    }
    expect(options).not.toHaveBeenCalled();
    expect(await params("build")).toEqual({ temperature: 0.5, options: { effort: "high" } });
    const { id: modelId, providerID: providerId, api } = model;
    expect(options.mock.calls).toEqual([
      [{ modelId, providerId, npm: api.npm, takesTemperature: true }],
    ]);
  });
});

describe("what our tools take in each request", () => {
  test("is their declaration, as the longest of the providers' formats has it", () => {
    const args = { ref: { kind: "text", need: "required", says: "source" } } as const;
    const tool = { name: "ctx_test", description: "Test.", args };
    const tokens = countTokensByTool([
      { name: "quiet", open: async () => ({}) },
      { name: "test", tools: [tool], open: async () => ({}) },
    ]);
    const declared =
      '{"name":"ctx_test","description":"Test.","input_schema":{"type":"object","properties":{"ref":{"type":"string","description":"source"}},"required":["ref"]},"eager_input_streaming":true}';
    expect([...tokens]).toEqual([["ctx_test", Math.ceil(declared.length / 4)]]);
  });
});
