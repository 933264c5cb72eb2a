import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { toAnyJob } from "../../src/feature-api/job.ts";
import { renderJobTitle } from "../../src/jobs/job-sessions.ts";
import { jobTable } from "../../src/storage/job-records.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { eventually } from "../eventually.ts";
import { sessionsIn } from "../storage/records.ts";
import { author, type HostEvent, PluginStage } from "./composed-plugin.ts";

const child = "ses_child";

/** A job of the composed plugin, whose model never answers. */
const slow = toAnyJob<null, string>({
  kind: "slow",
  input: () => null,
  async run(model) {
    const question = { system: "Say a word.", prompt: "A word." };
    await model.ask(question, { timeoutMs: 600_000, maxOutputTokens: 100, model: null });
    return { kind: "failed", code: "answered" };
  },
  keep: () => undefined,
});

let stage = new PluginStage([{ jobs: [slow] }]);

afterEach(async () => {
  await stage.close();
  stage = new PluginStage([{ jobs: [slow] }]);
});

function event(type: string, properties: object): HostEvent {
  return { type, properties } as unknown as HostEvent;
}

const created = () =>
  stage.hear(
    event("session.created", { info: { id: child, title: renderJobTitle(3, "0123abcd") } }),
  );

describe("a job whose model never answers", () => {
  test("I26: no hook on the way to a send waits for it, nor does the host's end", async () => {
    const { plugin } = stage;
    plugin.hostConfig.take({ small_model: "mock/small" }, () => undefined);
    await plugin.database.ensure();
    const sessionId = stage.rows.sessionId as SessionId;
    const id = plugin.database.current().jobs.add(
      {
        ...{ kind: "slow", board: stage.world.location("app").directory, sessionId, key: "a" },
        project: null,
        ...{ urgency: "waits", input: null, subject: null },
      },
      0,
    );
    const jobs = plugin.database.current().store((driver) => jobTable.in(driver));
    const row = () => jobs.find({ id: id ?? 0 });
    await stage.hear(event("session.status", { sessionID: sessionId, status: { type: "idle" } }));
    await eventually("the job's call is out", () => row()?.childSessionId === child);
    for (const prompt of ["First", "Second"]) {
      await stage.hear(event("session.status", { sessionID: sessionId, status: { type: "busy" } }));
      await stage.prompt(prompt);
      await stage.call();
      await stage.answered(10);
      await stage.hear(event("session.status", { sessionID: sessionId, status: { type: "idle" } }));
    }
    expect(row()?.state).toBe("running");
  });
});

describe("the runner of jobs", () => {
  test("looks for work when a session rests, and waits where the host tries a call again", async () => {
    const { runner } = stage.plugin;
    if (!runner) throw new Error("OpenCode runs jobs.");
    const woken = spyOn(runner, "wake");
    const paused = spyOn(runner, "pause");
    const says = (status: object) =>
      stage.hear(event("session.status", { sessionID: "ses_1", status }));
    await says({ type: "busy" });
    expect([woken, paused].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    await says({ type: "retry", attempt: 1, message: "later", next: Date.now() + 60_000 });
    await says({ type: "retry", attempt: 1, message: "now", next: Date.now() - 60_000 });
    expect(woken).not.toHaveBeenCalled();
    const [[later = 0] = [], [now] = []] = paused.mock.calls;
    expect(later).toBeGreaterThan(30_000);
    expect(later).toBeLessThanOrEqual(60_000);
    expect(now).toBe(0);
    await says({ type: "idle" });
    expect(woken).toHaveBeenCalledTimes(1);
    expect(paused).toHaveBeenCalledTimes(2);
  });
});

describe("I27: a job's session", () => {
  test("is known by its title before its id is, and every hook that has a session passes it over", async () => {
    await created();
    const given: Record<string, readonly [object, object]> = {
      "chat.message": [{ sessionID: child }, { message: {}, parts: [] }],
      "command.execute.before": [{ sessionID: child, command: "ctx-status" }, { parts: [] }],
      "chat.params": [{ sessionID: child, model: null, agent: "x" }, { options: {} }],
      "shell.env": [{ sessionID: child, cwd: "/" }, { env: {} }],
      "tool.execute.after": [{ sessionID: child, tool: "read", callID: "x" }, { output: 3 }],
    };
    const elsewhere = new Set([
      ...["config", "dispose", "event", "tool.definition"],
      ...["experimental.chat.messages.transform", "experimental.chat.system.transform"],
      ...["experimental.session.compacting"],
    ]);
    const hooks = Object.keys(stage.hooks).filter((name) => !elsewhere.has(name));
    // A new hook of ours needs its line here, and its exemption.
    expect(hooks.sort()).toEqual(Object.keys(given).sort());
    for (const [name, [input, output]] of Object.entries(given)) {
      const before = JSON.stringify(output);
      const hook = Reflect.get(stage.hooks, name) as (input: object, output: object) => unknown;
      await hook(input, output);
      expect(JSON.stringify(output)).toBe(before);
    }
    for (const type of ["busy", "idle"]) {
      await stage.hear(event("session.status", { sessionID: child, status: { type } }));
    }
    expect(stage.plugin.notices.all()).toEqual([]);
    await stage.plugin.database.ensure();
    expect(stage.plugin.runtime.isBusy(child as SessionId)).toBe(false);
    expect(sessionsIn(stage.plugin.database.current())).not.toContain(child as SessionId);
  });

  test("has its own words alone in its one call; a further step, a retry and a compaction are stopped", async () => {
    const { jobSessions } = stage.plugin;
    const stopped: string[] = [];
    Object.assign(stage.plugin.input.client.session, {
      abort: async ({ path }: { path: { id: string } }) => void stopped.push(path.id),
    });
    jobSessions.beginCall(child as SessionId, {
      ...{ system: "Say a word.", prompt: "A word.", maxOutputTokens: 70 },
    });
    const transform = stage.hooks["experimental.chat.messages.transform"];
    const messages = [{ info: { sessionID: child }, parts: [] }] as never;
    await transform?.({}, { messages });
    const input = { ...stage.systemInput(), sessionID: child };
    const system = ["The agent's own.", "You are powered by the model named x"];
    await stage.hooks["experimental.chat.system.transform"]?.(input, { system });
    expect(system).toEqual(["Say a word."]);
    const params = { options: {} } as never;
    await stage.hooks["chat.params"]?.({ sessionID: child, agent: author.agent } as never, params);
    expect(params).toEqual({ options: {}, maxOutputTokens: 70 } as never);
    expect(stopped).toEqual([]);
    // Each is held until the host has stopped it; nobody waits for that here.
    void stage.hooks["experimental.chat.system.transform"]?.(input, { system }).catch(String);
    void transform?.({}, { messages }).catch(String);
    void stage.hooks["experimental.session.compacting"]?.(
      { sessionID: child },
      { context: [] },
    ).catch(String);
    expect(jobSessions.isUnfinished(child)).toBe(true);
    await eventually("all three are stopped", () => stopped.length === 3);
    await stage.hear(
      event("session.status", {
        sessionID: child,
        status: { type: "retry", attempt: 1, message: "Too Many Requests", next: Date.now() },
      }),
    );
    expect(stopped).toEqual([child, child, child, child]);
    expect(jobSessions.findRetry(child)).toBe("Too Many Requests");
  });
});
