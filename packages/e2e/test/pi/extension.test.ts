import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeFiles } from "../../src/host/home.ts";
import { isObject } from "../../src/json.ts";
import { missingPi, openPi, PI_MODELS, type PiHome, type PiProcess } from "../../src/pi/pi.ts";
import { rejections } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";

// The extension on the real Pi: what it announces, keeps and leaves alone.

setDefaultTimeout(600_000);

const root = resolve(import.meta.dir, "../../../..");
const extension = join(root, "packages/pi/dist/session-runtime.js");

describe.skipIf(missingPi !== null)(missingPi ?? "the extension on Pi", () => {
  let pi: PiHome;
  let running: PiProcess;

  beforeAll(async () => {
    const built = spawnSync("node", [join(root, "scripts/build-pi.mjs")], { encoding: "utf8" });
    if (built.status !== 0) throw new Error(built.stderr);
    pi = await openPi({
      extensions: [extension],
      files: { "AGENTS.md": "Use tabs.\n", "notes.txt": "A note.\n" },
      settings: { compaction: { keepRecentTokens: 100 } },
    });
    running = pi.start();
  }, 600_000);
  afterAll(() => pi.close());

  const newest = () => JSON.stringify(pi.provider.requests.at(-1)?.body);

  /** What a command of ours shows. */
  async function shown(command: string): Promise<string> {
    const notice = running.next(({ method }) => method === "notify");
    await running.say(command);
    return String((await notice).message);
  }

  test("J2: on Pi, an edit within a session is announced once, after the input, and the prefix stands", async () => {
    pi.provider.script.queue(call("read", { path: "notes.txt" }), say("A note."));
    await running.say("Read the notes");
    writeFiles(pi.project, { "AGENTS.md": "Use spaces.\n" });
    await running.say("Go on");
    await running.say("And on");
    const { requests } = pi.provider;
    expect(rejections(requests)).toEqual([]);
    expect(prefixBreaks(requests)).toEqual([]);
    expect(requests[0]?.system).toContain("Use tabs.");
    const sent = newest();
    expect(sent.split("Use spaces.").length).toBe(2);
    expect(sent.indexOf("Go on")).toBeLessThan(sent.indexOf("Use spaces."));
    expect(sent.indexOf("Use spaces.")).toBeLessThan(sent.indexOf("And on"));
  });

  test("commands that are off are listed after those that do something", async () => {
    const { data } = await running.ask({ type: "get_commands" });
    const listed = isObject(data) && Array.isArray(data.commands) ? data.commands : [];
    const isOff = listed
      .filter(isObject)
      .filter(({ name }) => String(name).startsWith("ctx"))
      .map(({ description }) => String(description).startsWith("Turned off in your settings"));
    expect(isOff).toContain(true);
    expect(isOff).toEqual(isOff.toSorted());
  });

  test("/ctx-status reports on Pi, and a fact that the user gives is in the next session's Baseline", async () => {
    const lines = running.events.filter(({ method }) => method === "setStatus");
    expect(JSON.stringify(lines.at(-1))).toMatch(/cache \d+%/);
    expect(await shown("/ctx-status")).toMatch(/core\/instructions +current +changed/);
    expect(await shown("/ctx-memory add Deploys go out with make ship.")).toContain("Stored as");
    const other = pi.start();
    await other.say("Hello");
    await other.end();
    expect(pi.provider.requests.at(-1)?.system).toContain("Deploys go out with make ship.");
    const database = new Database(pi.database, { readonly: true });
    const hosts = database.query("SELECT harness FROM session").all();
    database.close();
    expect(hosts).toEqual([{ harness: "pi" }, { harness: "pi" }]);
  });

  test("J6, I11: a compaction of Pi's has our brief, and begins a new epoch with the present instructions", async () => {
    await running.say(`A long one: ${"word ".repeat(500)}`);
    await running.say("The last one");
    const before = pi.provider.requests.length;
    expect(await running.ask({ type: "compact" })).toMatchObject({ success: true });
    expect(JSON.stringify(pi.provider.requests[before]?.body)).toContain(
      "Stage-Aware Continuation",
    );
    await running.say("After it");
    expect(pi.provider.requests.at(-1)?.system).toContain("Use spaces.");
    // I31: what was said before it stands beside Pi's summary, in one message of the user's.
    const sent = newest();
    expect(sent.split("<earlier-words>")).toHaveLength(2);
    for (const said of ["> Read the notes", "> And on"]) expect(sent).toContain(said);
    await running.end();
  });
});

describe.skipIf(missingPi !== null)(missingPi ?? "a long session on Pi", () => {
  test("I22, I23: on Pi, old history is folded before the window is full, and the prefix stands between the rewrites", async () => {
    const turns = Array.from({ length: 20 }, (_, turn) => turn);
    const text = (turn: number) => `line ${turn} of the report\n`.repeat(600);
    const files = Object.fromEntries(turns.map((turn) => [`report-${turn}.txt`, text(turn)]));
    const pi = await openPi({ extensions: [extension], files });
    const running = pi.start([], PI_MODELS.small);
    for (const turn of turns) {
      const path = `report-${turn}.txt`;
      pi.provider.script.queue(call("read", { path }), say(`Report ${turn} is read.`));
      await running.say(`Question ${turn} is asked`);
    }
    const { requests } = pi.provider;
    const sent = JSON.stringify(requests.at(-1)?.body);
    const isWhole = (turn: number) => sent.split(`line ${turn} of the report`).length > 600;
    expect([isWhole(0), isWhole(19)]).toEqual([false, true]);
    for (const turn of turns) expect(sent).toContain(`Question ${turn} is asked`);
    expect(rejections(requests)).toEqual([]);
    expect(prefixBreaks(requests).length).toBeLessThanOrEqual(4);
    await running.end();
    await pi.close();
  });
});

describe.skipIf(missingPi !== null)(missingPi ?? "the extension on Pi where it can't work", () => {
  test("I15: a database that can't be opened leaves Pi's own request, and one notice", async () => {
    const calls: string[] = [];
    for (const extensions of [[], [extension]]) {
      const pi = await openPi({ extensions, files: { "AGENTS.md": "Use tabs.\n" } });
      mkdirSync(join(pi.root, "session-runtime/runtime.db"), { recursive: true });
      const running = pi.start();
      await running.say("Hello");
      await running.say("Go on");
      await running.end();
      const notices = running.events.filter(({ method }) => method === "notify");
      expect(notices.length).toBe(extensions.length);
      const { system = "", body } = pi.provider.requests.at(-1) ?? {};
      const said = JSON.stringify({ system, messages: body?.messages });
      calls.push(said.replaceAll(pi.root, "ROOT"));
      await pi.close();
    }
    expect(calls[1]).toBe(calls[0] ?? "");
  });
});
