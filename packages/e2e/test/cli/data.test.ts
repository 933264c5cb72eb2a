import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionStatus } from "@session-runtime/opencode/status/model";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import type { Timeline } from "../../../cli/src/timeline/model.ts";
import type { CallWire } from "../../../cli/src/wire/call-wire.ts";
import { type CommandOutput, runCli } from "../../../cli/test/command-line.ts";
import { eventually } from "../../../plugin/test/eventually.ts";
import { computePromptBill, RATES } from "../../src/billing/rates.ts";
import { isolatedEnvironment } from "../../src/host/process.ts";
import { type Bench, openBench } from "../../src/open.ts";
import { billed } from "../../src/provider/record.ts";
import { call, held, makeGate, say } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";
import { PLUGIN_FOLDER } from "./set-up.ts";

setDefaultTimeout(600_000);

const RULES = "Answer in short sentences.\n";
const NEWS = "Answer in one word from now on.\n";

let bench: Bench;
let id: string;
let title: string;

/** The command line in the home of the host, started in its project. */
function cli(...words: readonly string[]): Promise<CommandOutput> {
  const { home, project } = bench.host;
  const env = { ...isolatedEnvironment(home), OPENCODE_BIN: hostBinary() };
  return runCli(words, env, project);
}

async function json<T>(...words: readonly string[]): Promise<T> {
  const { out, err } = await cli(...words, "--json");
  if (!out.startsWith("{")) throw new Error(`${words.join(" ")} said: ${out}\n${err}`);
  return JSON.parse(out);
}

function mainCalls() {
  return bench.provider.listCalls(id, "main");
}

beforeAll(async () => {
  bench = await openBench({
    plugin: [PLUGIN_FOLDER],
    files: { "AGENTS.md": RULES, "a.txt": "A\n" },
  });
  const { client, project } = bench.host;
  id = (await client.createSession()).id;
  const read = call("read", { filePath: join(project, "a.txt") });
  bench.provider.script.queueFor(id, read, say("It says A."));
  await client.prompt(id, "What does a.txt say?");
  writeFileSync(join(project, "AGENTS.md"), NEWS);
  await client.prompt(id, "And now?");
  await client.prompt(id, "Make a plan.", { agent: "plan" });
  title = (await client.session(id)).title;
});
afterAll(() => bench.close());

/** What every reading command says of the scripted session, be the host up or not. */
function readsIt(): void {
  test("status is what /ctx-status would show of what is stored", async () => {
    const status = await json<SessionStatus>("status", id);
    expect(status).toMatchObject({
      sessionId: id,
      ground: "database",
      epoch: { number: 1, cause: "first", directory: bench.host.project },
      inbox: { waiting: 0, unread: 0, unanswered: 0, refused: 0 },
    });
    expect(status.updates.map(({ keys }) => keys)).toEqual([["core/instructions"]]);
    expect(status.cache.calls).toHaveLength(mainCalls().length);
    expect(status.cache.totals.busts).toBe(0);
  });

  test("sessions names it by the host's own title", async () => {
    const { sessions } = await json<{ sessions: { sessionId: string; title: string }[] }>(
      "sessions",
    );
    expect(sessions.find(({ sessionId }) => sessionId === id)?.title).toBe(title);
  });

  test("show --wire holds what the provider was sent: Baseline, update, reminder, messages", async () => {
    const wire = await json<CallWire>("show", id, "--wire", "--texts");
    const sent = new TextDecoder().decode(mainCalls().at(-1)?.raw);
    expect(wire.number).toBe(mainCalls().length);
    for (const { text } of wire.baseline?.parts ?? []) {
      expect(sent).toContain(JSON.stringify(text).slice(1, -1));
    }
    const edits = wire.messages.flatMap((message) => message.edits);
    expect(edits.map(({ kind }) => kind)).toEqual(["update", "reminder"]);
    for (const { text } of edits) expect(sent).toContain(JSON.stringify(text).slice(1, -1));
    const labels = wire.messages.flatMap(({ row }) => row?.parts.map(({ label }) => label) ?? []);
    expect(labels).toEqual(
      expect.arrayContaining(["What does a.txt say?", "read (completed)", "And now?"]),
    );
    expect(wire.elsewhere).toEqual([]);
  });

  test("timeline's bill is the provider's", async () => {
    const timeline = await json<Timeline>("timeline", id);
    const bill = billed(mainCalls()).reduce(
      (sum, { usage }) => sum + computePromptBill(usage, RATES.breakpoints),
      0,
    );
    expect(timeline.totals.bill).toBeCloseTo(bill, 3);
    expect(timeline.updates.map(({ callNumber }) => callNumber)).toEqual([3]);
  });

  test("migrate has nothing to do, and prune takes nothing of what is at work", async () => {
    expect(await json<object>("migrate")).toMatchObject({ migrated: false });
    const pruned = await json<{ goes: object[]; kept: object[] }>(
      "prune",
      "--older-than",
      "0h",
      "--yes",
    );
    expect(pruned.goes).toEqual([]);
    expect(pruned.kept.length).toBeGreaterThan(0);
  });
}

describe("while the host runs", () => {
  readsIt();

  test("no session is replaced, neither one that it is at work in nor one that has settled", async () => {
    const { client } = bench.host;
    const other = (await client.createSession()).id;
    const gate = makeGate();
    bench.provider.script.queueFor(other, held(gate, say("That took a while.")));
    await client.promptAsync(other, "Take your time.");
    await bench.provider.arrival(() => bench.provider.listCalls(other, "main").length === 1);
    await cli("export", other, "--out", "open.jsonl");
    const { error } = await json<{ error: { code: string } }>("import", "open.jsonl", "--replace");
    expect(error.code).toBe("session-open");
    gate.open();
    await client.waitIdle(other);
    await cli("export", other, "--out", "settled.jsonl");
    await eventually("only the open database speaks against it", async () => {
      const refused = await json<{ error: { code: string } }>(
        "import",
        "settled.jsonl",
        "--replace",
      );
      return refused.error.code === "database-in-use";
    });
    await client.prompt(other, "Go on.");
    expect(prefixBreaks(bench.provider.listCalls(other, "main"))).toEqual([]);
  });
});

describe("after the host was killed", () => {
  beforeAll(() => bench.host.kill9());

  readsIt();

  test("J1: exported, taken in anew and gone on with, the session sends the same bytes as before", async () => {
    await cli("export", id, "--out", "killed.jsonl", "--force");
    expect(await json<object>("import", "killed.jsonl", "--replace")).toMatchObject({
      kind: "replaced",
    });
    await bench.host.start({});
    const before = mainCalls().length;
    await bench.host.client.prompt(id, "Go on.", { agent: "plan" });
    const calls = mainCalls().slice(before - 1);
    expect(calls.length).toBeGreaterThan(1);
    expect(prefixBreaks(calls)).toEqual([]);
  });
});
