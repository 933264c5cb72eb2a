// The host as features ask it: what goes to its client, and what its answers are read as.

import { describe, expect, test } from "bun:test";
import type { PluginInput } from "@opencode-ai/plugin";
import type { HostApi } from "../../src/feature-api/feature-context.ts";
import { type Dispatch, HostRefusalError } from "../../src/feature-api/prompt.ts";
import { noScreen } from "../../src/feature-api/screen.ts";
import { hostDefaultLimits } from "../../src/features/tool-output/limits.ts";
import { createHostApi } from "../../src/hooks/host-api.ts";
import { HostConfig } from "../../src/hooks/host-config.ts";
import { createOpenCodeHost } from "../../src/hooks/opencode-host.ts";
import type { HostProjectName } from "../../src/project/project.ts";
import { ModelCatalogue } from "../../src/runtime/catalogue.ts";
import type { SessionId } from "../../src/storage/records.ts";

const SESSION = "ses_1" as SessionId;

/** A client whose calls are kept, each answered as its name says. */
function createRecordingClient(answers: Readonly<Record<string, unknown>>) {
  const asked: [string, Record<string, unknown>][] = [];
  const part = (group: string) =>
    new Proxy(
      {},
      {
        get: (_, name) => async (request: Record<string, unknown>) => {
          const { signal, ...rest } = request;
          expect(signal === undefined || signal instanceof AbortSignal).toBe(true);
          asked.push([`${group}.${String(name)}`, rest]);
          return answers[`${group}.${String(name)}`];
        },
      },
    );
  const client = { session: part("session"), app: part("app"), tui: part("tui") };
  return { client: client as unknown as PluginInput["client"], asked };
}

function createHost(
  answers: Readonly<Record<string, unknown>>,
  hostConfig = new HostConfig("/app"),
) {
  const { client, asked } = createRecordingClient(answers);
  return { host: createHostApi(client, hostConfig), asked };
}

const path = { id: "ses_1" };
const asks = { timeoutMs: 1_000 };

describe("what features ask of the host", () => {
  const listed = { info: { id: "u1", role: "user" }, parts: [] };

  test("the newest messages, the parent and the todos of a session, each an error where it refuses", async () => {
    const { host, asked } = createHost({
      "session.messages": { data: [listed] },
      "session.get": { data: { parentID: "ses_0" } },
      "session.todo": { data: ["todo"] },
    });
    expect(await host.messages(SESSION, { count: 7, ...asks })).toEqual([listed] as never);
    expect(await host.parent(SESSION, asks)).toBe("ses_0" as SessionId);
    expect(await host.todos(SESSION, asks)).toEqual(["todo"]);
    expect(asked).toEqual([
      ["session.messages", { path, query: { limit: 7 }, throwOnError: true }],
      ["session.get", { path, throwOnError: true }],
      ["session.todo", { path, throwOnError: true }],
    ]);
    const own = createHost({ "session.get": { data: {} } });
    expect(await own.host.parent(SESSION, asks)).toBeNull();
  });

  test("an agent's permissions, then the session's, as a list whatever form they have", async () => {
    const agents = [
      { name: "plan", permission: ["not asked for"] },
      { name: "build", permission: { edit: "ask" } },
    ];
    const answers = { "app.agents": { data: agents } };
    const rules = async (session: object) =>
      createHost({ ...answers, "session.get": { data: session } }).host.rules(
        SESSION,
        "build",
        asks,
      );
    expect(await rules({ permission: ["a", "b"] })).toEqual([{ edit: "ask" }, "a", "b"]);
    expect(await rules({})).toEqual([{ edit: "ask" }]);
    const { host, asked } = createHost({ ...answers, "session.get": { data: {} } });
    await expect(host.rules(SESSION, "gone", asks)).rejects.toThrow("lists no agent gone");
    expect(asked).toEqual([
      ["app.agents", { throwOnError: true }],
      ["session.get", { path, throwOnError: true }],
    ]);
  });

  test("a command on its bus", async () => {
    const { host, asked } = createHost({});
    await host.publish("session-runtime.show");
    const body = { type: "tui.command.execute", properties: { command: "session-runtime.show" } };
    expect(asked).toEqual([["tui.publish", { body, throwOnError: true }]]);
  });

  test("its limits for tools' outputs: the configured ones, else its defaults", () => {
    const hostConfig = new HostConfig("/limits");
    const { host } = createHost({}, hostConfig);
    expect(host.outputLimits()).toEqual(hostDefaultLimits);
    hostConfig.take({ tool_output: { max_lines: 9, max_bytes: 99 } } as object, () => undefined);
    expect(host.outputLimits()).toEqual({ maxLines: 9, maxBytes: 99 });
    hostConfig.take({ tool_output: { max_lines: "9" } } as object, () => undefined);
    expect(host.outputLimits()).toEqual(hostDefaultLimits);
  });
});

describe("the host's config, before it has come and after", () => {
  test("names instructions, models, MCP servers and plugins; nothing before it has come", () => {
    const hostConfig = new HostConfig("/config-read");
    const read = () => ({
      instructions: hostConfig.listInstructions(),
      models: hostConfig.readModels(),
      servers: hostConfig.countMcpServers(),
      plugins: hostConfig.listPlugins(),
      prune: hostConfig.prune(),
    });
    const models = { main: null, small: null };
    const nothing = { instructions: [], models, servers: 0, plugins: [], prune: "off" } as const;
    expect(read()).toEqual(nothing);
    hostConfig.take({}, () => undefined);
    expect(read()).toEqual(nothing);
    const config = {
      ...{ instructions: ["RULES.md"], model: "a/b", small_model: "a/c" },
      mcp: { wiki: {}, search: {} },
      plugin: ["one", ["two", { option: 1 }]],
      compaction: { prune: true },
    };
    hostConfig.take(config as object, () => undefined);
    expect(read()).toEqual({
      ...{ instructions: ["RULES.md"], models: { main: "a/b", small: "a/c" } },
      ...{ servers: 2, plugins: ["one", "two"], prune: "on" },
    });
    hostConfig.take({ compaction: { prune: "yes" } } as object, () => undefined);
    expect(hostConfig.prune()).toBe("off");
  });
});

describe("the host as prompts are given to it", () => {
  const refusal = (status?: number) => ({
    error: {},
    ...(status !== undefined && { response: { status } }),
  });

  test("a session is busy while the host says anything but that it is idle", async () => {
    const activity = (data: object) =>
      createHost({ "session.status": { data } }).host.prompts.activity(SESSION);
    expect(await activity({})).toBe("idle");
    expect(await activity({ ses_2: { type: "busy" } })).toBe("idle");
    expect(await activity({ ses_1: { type: "idle" } })).toBe("idle");
    expect(await activity({ ses_1: { type: "busy" } })).toBe("busy");
    expect(await activity({ ses_1: { type: "retry" } })).toBe("busy");
  });

  test("a session has a title, and whether an undo can still be taken back; null where there is none", async () => {
    const session = (answer: object) => {
      const { host, asked } = createHost({ "session.get": answer });
      const answered = host.prompts.session(SESSION);
      expect(asked).toEqual([["session.get", { path }]]);
      return answered;
    };
    expect(await session({ data: { title: "One" } })).toEqual({ title: "One", revert: "none" });
    expect(await session({ data: { title: "One", revert: { messageID: "m" } } })).toEqual({
      title: "One",
      revert: "undone",
    });
    expect(await session(refusal(404))).toBeNull();
    await expect(session(refusal(500))).rejects.toEqual(
      new HostRefusalError("OpenCode could not be asked for session ses_1 (HTTP 500)."),
    );
    await expect(session(refusal())).rejects.toThrow("session ses_1 (no answer).");
  });

  test("its newest messages come as the host lists them, or it says that it can't", async () => {
    const { host, asked } = createHost({ "session.messages": { data: ["message"] } });
    expect(await host.prompts.history(SESSION, 30)).toEqual(["message"] as never);
    expect(asked).toEqual([["session.messages", { path, query: { limit: 30 } }]]);
    await expect(
      createHost({ "session.messages": refusal(400) }).host.prompts.history(SESSION, 30),
    ).rejects.toThrow("OpenCode can't list the messages of session ses_1");
  });

  test("one message comes with the ids of its parts; null where it is not saved", async () => {
    const message = (answer: object) => {
      const { host, asked } = createHost({ "session.message": answer });
      const answered = host.prompts.message(SESSION, "msg_1");
      expect(asked).toEqual([["session.message", { path: { id: "ses_1", messageID: "msg_1" } }]]);
      return answered;
    };
    const data = { info: { id: "msg_1" }, parts: [{ id: "prt_1" }, { id: "prt_2" }] };
    const saved = { info: { id: "msg_1" }, partIds: ["prt_1", "prt_2"] };
    expect(await message({ data })).toEqual(saved);
    expect(await message(refusal(404))).toBeNull();
    await expect(message(refusal(500))).rejects.toThrow("for message msg_1 (HTTP 500)");
    await expect(message(refusal())).rejects.toThrow("for message msg_1 (no answer)");
  });

  test("a prompt goes out under its id with the settings that it has, and no others", async () => {
    const { host, asked } = createHost({});
    const parts = [{ type: "text", text: "Go" }];
    const bare = { agent: null, model: null, variant: null, system: null, format: null };
    const dispatch = (prompt: object, reply: Dispatch["reply"]) =>
      host.prompts.send({ ...{ sessionId: SESSION, messageId: "msg_1", reply }, prompt } as never);
    await dispatch({ parts, ...bare }, "wanted");
    await dispatch({ parts, ...bare, format: undefined }, "none");
    const model = { providerID: "a", modelID: "b" };
    const chosen = { agent: "plan", model, variant: "high", system: "S", format: { type: "text" } };
    await dispatch({ parts, ...chosen }, "wanted");
    const sent = (body: object) => ({ path, body, throwOnError: true });
    expect(asked).toEqual([
      ["session.promptAsync", sent({ messageID: "msg_1", parts })],
      ["session.prompt", sent({ messageID: "msg_1", parts, noReply: true })],
      ["session.promptAsync", sent({ messageID: "msg_1", parts, ...chosen })],
    ]);
  });

  test("a stop goes to the session", async () => {
    const { host, asked } = createHost({});
    await host.prompts.abort(SESSION);
    expect(asked).toEqual([["session.abort", { path, throwOnError: true }]]);
  });
});

/** What of the port has parts of its own. */
const own = { asked: {} as HostApi, screen: noScreen, jobHost: null };

describe("OpenCode as the kernel's host", () => {
  const hostOn = (project: object, client: object = {}) => {
    const place = { directory: "/app/src", worktree: "/app" };
    const input = { client, project, ...place } as unknown as PluginInput;
    return createOpenCodeHost({ input, hostConfig: new HostConfig("/app/src") }, own);
  };

  test("knows a project by its repository, and a folder without one by its path", () => {
    const place = { directory: "/app/src", worktree: "/app", worker: "/app/src" };
    expect(hostOn({ id: "first-commit", vcs: "git" }).place).toEqual({
      ...{ ...place, project: "first-commit" as HostProjectName, git: "yes" },
    });
    expect(hostOn({ id: "global" }).place).toEqual({
      ...{ ...place, project: "/app/src" as HostProjectName, git: "no" },
    });
  });

  test("shows a toast under our name", async () => {
    const shown: unknown[] = [];
    const tui = { showToast: async (request: unknown) => void shown.push(request) };
    await hostOn({}, { tui }).toast("All is well.", "info");
    expect(shown).toEqual([
      { body: { title: "Session Runtime", message: "All is well.", variant: "info" } },
    ]);
  });
});

describe("the catalogue of models", () => {
  const cost = { input: 10, cache: { read: 2, write: 15 } };
  const limit = { context: 200_000, input: 180_000, output: 8_000 };
  const api = { id: "claude-x", npm: "@ai-sdk/anthropic" };

  function createCatalogue(providers: readonly object[] | undefined) {
    let asked = 0;
    const client = {
      config: {
        providers: async () => {
          asked += 1;
          return providers === undefined ? {} : { data: { providers } };
        },
      },
    };
    const input = { client, project: {} } as unknown as PluginInput;
    const { models } = createOpenCodeHost({ input, hostConfig: new HostConfig("/app") }, own);
    return { catalogue: new ModelCatalogue(models), asked: () => asked };
  }

  test("is asked once, for a model that no call has shown; all of it is kept", async () => {
    const models = { opus: { api, cost, limit }, bare: { api: { id: "bare-x" } } };
    const { catalogue, asked } = createCatalogue([{ id: "anthropic", models }]);
    const [opus, gone] = await Promise.all([
      catalogue.findFacts("anthropic", "opus"),
      catalogue.findFacts("anthropic", "gone"),
    ]);
    expect(opus).toMatchObject({
      apiId: "claude-x",
      limits: { contextTokens: 200_000, inputTokens: 180_000, outputTokens: 8_000 },
    });
    expect(gone).toBeNull();
    expect(await catalogue.findFacts("anthropic", "bare")).toMatchObject({
      apiId: "bare-x",
      limits: { contextTokens: 0, inputTokens: null, outputTokens: 0 },
    });
    expect(asked()).toBe(1);
  });

  test("knows what a call has shown without asking, its price by how the provider caches", () => {
    const { catalogue, asked } = createCatalogue([]);
    catalogue.learn("anthropic", "opus", { api, cost, limit });
    catalogue.learn("openai", "large", { api: { id: "large" }, cost, limit });
    catalogue.learn("local", "free", { api: { id: "free" }, limit: {} });
    const rates = (providerId: string, modelId: string) => {
      const facts = catalogue.findFacts(providerId, modelId);
      return facts instanceof Promise ? "asked for" : facts.rates;
    };
    expect(rates("anthropic", "opus")).toEqual({ read: 0.2, write: 1.5, lookBackBlocks: 20 });
    expect(rates("openai", "large")).toEqual({ read: 0.2, write: 1.5, lookBackBlocks: null });
    expect(rates("local", "free")).toEqual({ read: 0.1, write: 1, lookBackBlocks: null });
    expect(asked()).toBe(0);
  });

  test("that the host can't give knows no model", async () => {
    expect(await createCatalogue(undefined).catalogue.findFacts("a", "b")).toBeNull();
  });
});
