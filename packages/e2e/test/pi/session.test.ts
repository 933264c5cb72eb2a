import { Database } from "bun:sqlite";
import { afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { writeFiles } from "../../src/host/home.ts";
import { isObject, type JsonObject, objects, text } from "../../src/json.ts";
import { missingPi, openPi, PI_MODELS, type PiHome, type PiProcess } from "../../src/pi/pi.ts";
import { buildExtension } from "../../src/pi/scenario.ts";
import { type CallRecord, rejections } from "../../src/provider/record.ts";
import { say } from "../../src/provider/reply.ts";
import { makeScenarioClock } from "../../src/scenario/clock.ts";
import { prefixBreaks } from "../../src/wire.ts";

// What happens in a session of the real Pi, with the extension: what is sent keeps its bytes.

setDefaultTimeout(600_000);

const TREE = join(import.meta.dir, "../../fixtures/pi/tree.js");
const DAY_MINUTES = 1_440;

const times = (call: CallRecord | undefined, said: string) =>
  JSON.stringify(call?.body).split(said).length - 1;

describe.skipIf(missingPi !== null)(missingPi ?? "a session of the real Pi", () => {
  let ours = "";
  let pi: PiHome;

  beforeAll(() => {
    ours = buildExtension();
  }, 600_000);
  afterEach(async () => {
    expect(rejections(pi.provider.requests)).toEqual([]);
    await pi.close();
  });

  async function begun(settings: JsonObject = {}, env: Readonly<Record<string, string>> = {}) {
    const files = { "AGENTS.md": "Use tabs.\n" };
    pi = await openPi({ extensions: [ours, TREE], files, env, settings });
    return pi.start();
  }

  const calls = () => pi.provider.calls;

  async function entries(running: PiProcess): Promise<readonly JsonObject[]> {
    const { data } = await running.ask({ type: "get_entries" });
    return isObject(data) ? objects(data.entries) : [];
  }

  test("C2: on Pi, midnight: the new day is announced once, after the prompt, and the prefix stands", async () => {
    const clock = makeScenarioClock();
    const running = await begun({}, clock.env);
    await running.say("Hello");
    const today = new Date();
    expect(calls()[0]?.system).toContain(`Today's date: ${today.toDateString()}`);
    clock.pass(DAY_MINUTES);
    const tomorrow = new Date(today.getTime() + DAY_MINUTES * 60_000).toDateString();
    await running.say("A new day");
    await running.say("And on");
    expect(prefixBreaks(calls())).toEqual([]);
    expect(times(calls().at(-1), `Today's date is now: ${tomorrow}`)).toBe(1);
    clock.remove();
  });

  test("J9: on Pi, a switch of the model there and back: each model's calls keep their prefix, and each hears its name", async () => {
    const running = await begun();
    const change = (modelId: string) =>
      running.ask({ type: "set_model", provider: "mock", modelId });
    await running.say("Hello");
    await running.say("Go on");
    await change(PI_MODELS.small);
    await running.say("To the other");
    await running.say("Still the other");
    await change(PI_MODELS.plain);
    await running.say("Back again");
    await running.say("And on");
    for (const model of [PI_MODELS.plain, PI_MODELS.small]) {
      const own = calls().filter(({ body }) => body.model === model);
      expect(own.length).toBeGreaterThan(1);
      expect(prefixBreaks(own)).toEqual([]);
    }
    expect(JSON.stringify(calls()[2]?.body)).toContain(PI_MODELS.small);
  });

  test("I1: on Pi, a switch of the thinking level keeps the prefix, and reaches the provider", async () => {
    await begun();
    const running = pi.start([], PI_MODELS.thinking);
    const think = (level: string) => running.ask({ type: "set_thinking_level", level });
    await think("low");
    await running.say("Think a bit");
    await think("high");
    await running.say("Think more");
    await think("low");
    await running.say("Less again");
    expect(prefixBreaks(calls())).toEqual([]);
    const budgets = calls().map(({ body }) => JSON.stringify(body.thinking ?? body.output_config));
    expect(budgets[1]).not.toBe(budgets[0] as string);
    expect(budgets[2]).toBe(budgets[0] as string);
  });

  test("J1, I2: on Pi, --continue after an edit: the session's own prefix is sent, and the edit announced once", async () => {
    const running = await begun();
    await running.say("Hello");
    await running.end();
    writeFiles(pi.project, { "AGENTS.md": "Use spaces.\n" });
    const again = pi.start(["--continue"]);
    await again.say("I am back");
    await again.say("Go on");
    expect(prefixBreaks(calls())).toEqual([]);
    expect(times(calls().at(-1), "Use spaces.")).toBe(1);
    expect(calls().at(-1)?.system).toContain("Use tabs.");
  });

  test("I10: on Pi, moves in the tree there and back: what was announced on a branch counts on that branch alone", async () => {
    const running = await begun();
    await running.say("First");
    writeFiles(pi.project, { "AGENTS.md": "Use spaces.\n" });
    await running.say("Second, by spaces");
    const onBranch = calls().at(-1);
    const left = (await entries(running)).at(-1);
    const second = (await entries(running)).findLast(
      ({ message }) => isObject(message) && message.role === "user",
    );
    await running.say(`/tree-to ${text(second?.id)}`);
    await running.say("Another second");
    const elsewhere = calls().at(-1);
    expect(times(elsewhere, "Second, by spaces")).toBe(0);
    expect(times(elsewhere, "Use spaces.")).toBe(1);
    expect(elsewhere?.system).toBe(onBranch?.system as string);
    await running.say(`/tree-to ${text(left?.id)}`);
    await running.say("Third, back here");
    const back = calls().at(-1);
    expect(times(back, "Another second")).toBe(0);
    expect(times(back, "Use spaces.")).toBe(1);
    expect(prefixBreaks([onBranch, back].filter((one) => one !== undefined))).toEqual([]);
  });

  test("J6: Pi's own automatic compaction has our brief, and the calls after it keep one prefix", async () => {
    const running = await begun({ compaction: { reserveTokens: 195_000, keepRecentTokens: 200 } });
    writeFiles(pi.project, { "AGENTS.md": "Use spaces.\n" });
    await running.say("Hello");
    const compacted = running.next(({ type }) => type === "compaction_end");
    await running.say(`A long one: ${"word ".repeat(8_000)}`);
    expect(await compacted).toMatchObject({ reason: "threshold" });
    const asked = pi.provider.requests.find((one) =>
      JSON.stringify(one.body).includes("Stage-Aware Continuation"),
    );
    expect(asked).toBeDefined();
    const before = calls().length;
    await running.say("After it");
    await running.say("And on");
    const after = calls().slice(before);
    expect(after.length).toBeGreaterThanOrEqual(2);
    expect(prefixBreaks(after)).toEqual([]);
    expect(after[0]?.system).toContain("Use spaces.");
  });

  test("settings: Pi reads its own folders over the shared ones, a project's can only reduce, and /ctx-status names the files", async () => {
    pi = await openPi({ extensions: [ours] });
    const begun = async () => {
      const running = pi.start();
      await running.say("Hello");
      return { running, tools: JSON.stringify(calls().at(-1)?.body.tools) };
    };
    const shown = async (running: PiProcess, command: string) => {
      const notice = running.next(({ method }) => method === "notify");
      await running.say(command);
      return String((await notice).message);
    };
    const own = join(pi.agent, "session-runtime.jsonc");
    const first = await begun();
    expect(first.tools).toContain("ctx_memory");
    expect(await shown(first.running, "/ctx-status")).toContain(
      `Settings: none. Yours go into ${own}.`,
    );
    const off = { memory: { enabled: false } };
    const shared = "opencode/session-runtime.json";
    writeFiles(join(pi.root, "config"), { [shared]: JSON.stringify(off) });
    expect((await begun()).tools).not.toContain("ctx_memory");
    const on = { memory: { enabled: true }, log: { level: "debug" } };
    writeFiles(pi.agent, { "session-runtime.jsonc": JSON.stringify(on) });
    const third = await begun();
    expect(third.tools).toContain("ctx_memory");
    expect(await shown(third.running, "/ctx-status")).toContain(
      `Settings: ${join(pi.root, "config", shared)}, ${own}. For Pi alone: ${own}.`,
    );
    const reduces = { ...off, jobs: { model: "evil/model" } };
    writeFiles(pi.project, { ".pi/session-runtime.json": JSON.stringify(reduces) });
    const fourth = await begun();
    expect(fourth.tools).not.toContain("ctx_memory");
    expect(await shown(fourth.running, "/ctx-memory")).toContain(
      `/ctx-memory is turned off in your settings. To turn it on, add this to\n${own} and type /reload`,
    );
    expect(JSON.stringify(fourth.running.events)).toContain(`set it in ${own}`);
    writeFiles(pi.agent, { "session-runtime.jsonc": JSON.stringify({ enabled: false }) });
    expect((await begun()).tools).not.toContain("ctx_");
  });

  test("/ctx chooses a command in Pi's own selector, and /ctx-panel shows the panel's lines", async () => {
    const running = await begun();
    await running.say("Hello");
    const shown = running.next(({ method }) => method === "notify");
    const asked = running.next(({ method }) => method === "select");
    const over = running.say("/ctx");
    const dialog = await asked;
    const options = Array.isArray(dialog.options) ? dialog.options.map(String) : [];
    expect(options.length).toBeGreaterThan(5);
    running.choose(dialog, options.find((line) => line.startsWith("/ctx-status")) ?? null);
    await over;
    expect(String((await shown).message)).toContain("Session Runtime: ");

    const panel = running.next(({ method }) => method === "setWidget");
    await running.say("/ctx-panel");
    const lines = JSON.stringify(await panel);
    expect(lines).toContain("Cache ");
    expect(lines).toContain("Paid $");
    const renewed = running.next(({ method }) => method === "setWidget");
    await running.say("Go on");
    expect(JSON.stringify(await renewed)).toContain("Cache ");
    const told = running.next(({ method }) => method === "setWidget");
    await running.say("/ctx-memory add Till opens at nine.");
    expect(JSON.stringify(await told)).toContain("1 memory");
    const closed = running.next(({ method }) => method === "setWidget");
    await running.say("/ctx-panel");
    expect(JSON.stringify(await closed)).not.toContain("Cache ");
  });

  test("the panel that is open stays open over a fork", async () => {
    const running = await begun();
    await running.say("Hello");
    await running.say("/ctx-panel");
    const panel = running.next(({ method }) => method === "setWidget");
    await running.ask({ type: "clone" });
    expect(JSON.stringify(await panel)).toContain("Session Runtime");
  });

  test("a process that ends right after its one answer has it listed and indexed", async () => {
    const running = await begun();
    pi.provider.script.queue(say("The till opens at nine."));
    await running.say("When does it open?");
    await running.end();
    expect(running.errors()).toBe("");
    const index = new Database(pi.database.replace(/\.db$/, ".recall.db"), { readonly: true });
    const bodies = index.query("SELECT body FROM passage").all() as { body: Uint8Array }[];
    const texts = bodies.map(({ body }) => inflateRawSync(body).toString());
    expect(texts.join("\n")).toContain("The till opens at nine.");
    index.close();
    const database = new Database(pi.database, { readonly: true });
    expect(database.query("SELECT harness FROM session").all()).toEqual([{ harness: "pi" }]);
    database.close();
  });

  test("where prompts wait for a source that can't load, it is not sent, and stands in the editor again", async () => {
    const running = await begun();
    await running.end();
    const sources = {
      "desk/issue": { command: ["cat", "issue.md"], refreshMs: 0, required: true },
    };
    const settings = { onUnavailable: "block", sources };
    writeFiles(pi.agent, { "session-runtime.jsonc": JSON.stringify(settings) });
    const blocked = pi.start();
    const told = blocked.next(({ method }) => method === "notify");
    const kept = blocked.next(({ method }) => method === "set_editor_text");
    await blocked.say("What is asked?");
    expect(String((await told).message)).toContain("The prompt was not sent: desk/issue");
    expect(await kept).toMatchObject({ text: "What is asked?" });
    expect(calls()).toEqual([]);
    writeFiles(pi.project, { "issue.md": "Paint it.\n" });
    await blocked.say("What is asked?");
    expect(calls()).toHaveLength(1);
  });
});
