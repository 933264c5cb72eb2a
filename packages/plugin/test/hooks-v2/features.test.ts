// What the features do on the stand-in beside history and memory: commands, figures, jobs, marks, reminders, the panel.

import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toFields } from "../../src/context/fields.ts";
import plugin from "../../src/index.ts";
import { eventually } from "../eventually.ts";
import { segmentXml, wrapInHistory } from "../features/summaries/answers.ts";
import type { HostSettings } from "./host.ts";
import { isPrefix, LONG, ownFolder, readingModel, texts, withRoom } from "./stage.ts";
import { StandIn } from "./stand-in.ts";

let folder: ReturnType<typeof ownFolder>;
const opened: StandIn[] = [];
beforeEach(() => {
  folder = ownFolder();
});
afterEach(async () => {
  for (const host of opened.splice(0)) await host.close();
  folder.remove();
});

type Settings = Partial<HostSettings & ConstructorParameters<typeof StandIn>[0]>;

function open(settings: Settings): StandIn {
  const host = new StandIn({
    plugins: [plugin],
    model: readingModel(2),
    runTool: () => ({ content: LONG }),
    ...settings,
  });
  opened.push(host);
  return host;
}

/** What the command of this name has answered last. */
async function answered(host: StandIn, command: string, text = ""): Promise<string> {
  await host.command("ses_1", command, text);
  const last = host.registry.emitted.findLast(({ name }) => name === "answered");
  expect(last?.data).toMatchObject({ sessionID: "ses_1", command });
  return String(toFields(last?.data).text);
}

function queryRows(sql: string): readonly Record<string, unknown>[] {
  const path = join(process.env.XDG_DATA_HOME ?? "", "session-runtime/runtime.db");
  const database = new Database(path, { readonly: true });
  const rows = database.query(sql).all() as Record<string, unknown>[];
  database.close();
  return rows;
}

describe("V5: commands", () => {
  test("/ctx-status has the provider's figures of each call, what they cost and what came from the cache", async () => {
    const host = open({ windowTokens: 200_000 });
    await host.prompt("ses_1", "Read.");
    await host.prompt("ses_1", "Read on.");
    const status = await answered(host, "ctx-status");
    expect(status).toContain("Session Runtime: ses_1");
    expect(status).toMatch(/Prompt cache: \d\d% of [\d,]+ input tokens were read from it/);
    expect(status).toMatch(/all +6 calls +0 +[\d,]+ +[\d,]+ +\d\d%/);
    expect(status).toMatch(/Paid \$0\.\d+/);
  });

  test("each command of a feature is offered and answers, with what stands after its name", async () => {
    const host = open({});
    await host.prompt("ses_1", "Read.");
    expect(await answered(host, "ctx-note", "Deploy on Fridays.")).toContain("Stored as");
    const former = ["ctx-recomp"];
    for (const name of host.registry.commands.keys()) {
      if (former.includes(name)) continue;
      expect([name, await answered(host, name)]).toEqual([name, expect.stringMatching(/\S/)]);
    }
    expect(host.sent).toHaveLength(3);
    for (const name of [
      "ctx-status",
      "ctx-memory",
      "ctx-history",
      "ctx-brief",
      "ctx-fold",
      "ctx-keep",
    ]) {
      expect(host.registry.commands.has(name)).toBe(true);
    }
    expect(host.registry.commands.has("ctx-queue")).toBe(false);
  });

  test("a former name runs the command that it is now, with one notice that names it", async () => {
    const settings = { historian: { enabled: true }, history: { rewrite: "worth" } };
    const config = join(folder.path, "config/opencode");
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, "session-runtime.json"), JSON.stringify(settings));
    const host = open({});
    await host.prompt("ses_1", "Read.");
    expect(host.registry.commands.get("ctx-recomp")?.description).toBe(
      "Former name of /ctx-resummarize",
    );
    for (const _ of [1, 2]) await host.command("ses_1", "ctx-recomp", "stop");
    const emitted = host.registry.emitted.map(({ name, data }) => ({ name, ...toFields(data) }));
    const answers = emitted.filter(({ name }) => name === "answered");
    expect(answers).toMatchObject([
      { command: "ctx-resummarize", text: expect.stringContaining("nothing to stop") },
      { command: "ctx-resummarize" },
    ]);
    const renamed = emitted.filter((one) => JSON.stringify(one).includes("is now called"));
    expect(renamed).toHaveLength(1);
  });
});

test("V8: the panel's part of the status comes over rpc, and each change of it is an event", async () => {
  const host = open({ windowTokens: 200_000 });
  await host.prompt("ses_0", "Hello.");
  await host.prompt("ses_1", "Read.");
  const { panel } = toFields(await host.registry.handlers.status?.({ sessionID: "ses_1" }));
  expect(JSON.parse(String(panel))).toMatchObject({ sessionId: "ses_1", cache: { calls: 3 } });
  expect(host.registry.emitted).toContainEqual({ name: "changed", data: { sessionID: "ses_1" } });
});

test("a feature hears of a boundary, of the send, of figures, of the end of a turn, and that the session has settled", async () => {
  const heard: string[] = [];
  const note = (what: string) => () => void heard.push(what);
  const host = open({
    model: readingModel(0),
    plugins: [
      withRoom(async () => ({
        hooks: {
          boundary: note("boundary"),
          sent: note("sent"),
          onEvent: ({ kind }) => void heard.push(kind),
          settled: async () => void heard.push("settled"),
          closed: note("closed"),
        },
      })),
    ],
  });
  await host.prompt("ses_1", "Hello.");
  await eventually(
    "the features hear of it",
    () => heard.includes("settled") && heard.includes("sent"),
  );
  await host.close();
  expect(heard.filter((what) => what !== "sent")).toEqual([
    ...["boundary", "billed", "idle", "settled", "closed"],
  ]);
});

test("V8: what happens in sessions of other folders says nothing here", async () => {
  const host = open({});
  await host.prompt("ses_1", "Read.");
  const before = host.registry.emitted.length;
  for (const type of ["session.execution.started", "session.execution.succeeded"]) {
    host.registry.publish({ type, data: { sessionID: "ses_of_another_folder" } });
  }
  await host.command("ses_1", "ctx-status");
  expect(host.registry.emitted.slice(before).map(({ name }) => name)).toEqual(["answered"]);
});

test("V6: a prompt after a long pause is marked with its time, once, in each later request the same", async () => {
  let nowMs = Date.UTC(2026, 10, 20, 9);
  const host = open({
    model: readingModel(0),
    now: () => nowMs,
    options: { timeMarks: { enabled: true } },
  });
  await host.prompt("ses_1", "Good morning.");
  nowMs += 5 * 3_600_000;
  await host.prompt("ses_1", "Good afternoon.");
  await host.reload([plugin]);
  await host.prompt("ses_1", "And now?");
  const [, second, third] = host.sent.map(texts);
  expect(second).toContain("5 hours passed before this message.");
  expect(third?.split("hours passed")).toHaveLength(2);
  expect(third?.startsWith(second?.slice(0, -1) ?? "?")).toBe(true);
});

test("V7: the historian has its segments written by `generate.text`, with the small model of the session's provider", async () => {
  const asked: string[] = [];
  const host = open({
    windowTokens: 40_000,
    generate: (prompt) => {
      asked.push(prompt);
      const last = Math.max(
        ...[...prompt.matchAll(/<message id="m(\d+)"/g)].map(([, at]) => Number(at)),
      );
      return wrapInHistory(segmentXml(1, last));
    },
  });
  for (let turn = 0; turn < 14; turn++) await host.prompt("ses_1", `Read more (${turn}).`);
  await eventually("a model is asked", () => asked.length > 0);
  await eventually(
    "a segment is written",
    () => queryRows("SELECT model FROM written_segment").length > 0,
  );
  expect(queryRows("SELECT DISTINCT model FROM written_segment")).toEqual([
    { model: "anthropic/haiku" },
  ]);
  expect(host.failed).toEqual([]);
});

/** The runtime's clock, in the hands of the test. */
async function withClock(work: (passDays: (days: number) => void) => Promise<void>): Promise<void> {
  const clock = join(folder.path, "clock");
  writeFileSync(clock, "0");
  Object.assign(process.env, { SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: clock });
  try {
    await work((days) => writeFileSync(clock, String(days * 24 * 3_600_000)));
  } finally {
    delete process.env.SESSION_RUNTIME_TEST;
    delete process.env.SESSION_RUNTIME_TEST_CLOCK;
  }
}

test("V6: a note that waits for a day comes up once that day is there, and keeps the prefix", async () => {
  await withClock(async (passDays) => {
    const input = { text: "Read the report.", when: "in 2 days" };
    const host = open({
      options: { smartNotes: { enabled: true } },
      model: ({ messages }) =>
        messages.some(({ role }) => role === "tool")
          ? { text: "Done." }
          : { text: "", calls: [{ id: "r", name: "ctx_remind", input }] },
    });
    await host.prompt("ses_1", "Remind me.");
    await host.prompt("ses_1", "Not yet.");
    const due = () => texts(host.sent.at(-1)).split("<due-notes>").length - 1;
    expect(due()).toBe(0);
    passDays(4);
    await host.prompt("ses_1", "And now?");
    expect(due()).toBe(1);
    const former = host.sent.at(-1);
    await host.prompt("ses_1", "Once more.");
    expect(due()).toBe(1);
    expect(isPrefix(former, host.sent.at(-1))).toBe(true);
  });
});

test.each([
  ["the model of the settings", { jobs: { model: "mock/own" } }, "mock/own"],
  ["the newest session's small one", {}, "anthropic/haiku"],
])(
  "V7: upkeep asked for by its command asks %s by `generate.text`, and what it archives is in no later session",
  async (_, given, model) => {
    await withClock(async (passDays) => {
      const host = open({
        model: readingModel(0),
        windowTokens: 200_000,
        options: { upkeep: { tasks: { archive: {} } }, ...given },
        generate: (prompt) => {
          const ref = /"ref":"(m:\w{6})"[^\n]*OPS-1/.exec(prompt)?.[1];
          return JSON.stringify({
            proposals: [{ do: "archive", ref, why: "the ticket is closed" }],
          });
        },
      });
      await host.prompt("ses_1", "Hello.");
      await answered(host, "ctx-memory", "add Ticket OPS-1 of the shop is half done.");
      await answered(host, "ctx-memory", "add Prices of the shop are cents.");
      passDays(100);
      expect(await answered(host, "ctx-upkeep", "run archive")).toContain("Run 1: archive.");
      await eventually(
        "it is archived",
        () => queryRows("SELECT id FROM memory WHERE state = 'archived'").length > 0,
      );
      expect(queryRows("SELECT model FROM upkeep_run")).toEqual([{ model }]);
      await host.prompt("ses_2", "What do prices look like?");
      expect(texts(host.sent.at(-1))).toContain("Prices of the shop are cents.");
      expect(texts(host.sent.at(-1))).not.toContain("OPS-1");
    });
  },
);
