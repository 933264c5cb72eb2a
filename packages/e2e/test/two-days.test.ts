import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { runCli } from "../../cli/test/command-line.ts";
import { eventually } from "../../plugin/test/eventually.ts";
import { TIMEZONES } from "../src/host/clock.ts";
import { isolatedEnvironment } from "../src/host/process.ts";
import type { JsonObject } from "../src/json.ts";
import { call, say } from "../src/provider/reply.ts";
import {
  expectSteady,
  history,
  OURS,
  one,
  type Talk,
  updates,
  useStage,
} from "./conformance/stage.ts";
import { jobCalls, memories, segments } from "./historian-stage.ts";
import { folds } from "./history-stage.ts";
import { noteTexts, run } from "./inbox-stage.ts";
import {
  FILES,
  LEARNT,
  middle,
  provideRipgrep,
  STATED,
  servePage,
  workADay,
  written,
} from "./two-days-stage.ts";

// Two days of work in one project, with the settings that a new user has; each test goes on where the
// one before it ended.
const stage = useStage({
  files: FILES,
  config: { small_model: "anthropic/claude-second" },
  env: { TZ: TIMEZONES.early },
  plugin: [OURS],
});

const COLUMNS = 80;
const PORT = "The staging database listens on port 5433.";
const page = servePage();
let first: Talk;
let second: Talk;

beforeAll(() => provideRipgrep(stage.host));
afterAll(() => page.stop());
beforeEach(() => stage.provider.script.respond("job", (record) => say(written(record))));

/** What the model is sent back for one call of a tool. */
async function answerTo(talk: Talk, tool: string, input: JsonObject): Promise<string> {
  stage.provider.script.queueFor(talk.id, call(tool, input), say("Thanks."));
  await talk.say("Look it up.", middle);
  return one(history(talk.last()).at(-1)).text;
}

/** What the command line prints; it must end well, unless a code is given. */
async function shell(words: readonly string[], exitCode = 0): Promise<string> {
  const { home, project } = stage.host;
  const env = { ...isolatedEnvironment(home), OPENCODE_BIN: hostBinary() };
  const ran = await runCli(words, env, project);
  expect({ words, exitCode: ran.exitCode, err: ran.err }).toMatchObject({ exitCode });
  return ran.out + ran.err;
}

/** What a command of the session shows, without a call of the model. */
async function shown(talk: Talk, name: string, args = ""): Promise<string> {
  const calls = stage.provider.calls.length;
  await run(talk.client, talk.id, name, args);
  expect(stage.provider.calls).toHaveLength(calls);
  return one(noteTexts(await talk.client.messages(talk.id)).at(-1));
}

/** Of the memory whose line has this. */
async function findMemoryNumber(words: string): Promise<string> {
  const line = (await shell(["memory"])).split("\n").find((one_) => one_.includes(words));
  return one(/^ *(\d+) {2}/.exec(line ?? "")?.[1]);
}

const refIn = (text: string) => one(/[mn]:\w{6}/.exec(text)?.[0]);
const tooWide = (text: string) => text.split("\n").filter(({ length }) => length > COLUMNS);

/** The facts that a look-up with the words of the question doesn't find. */
async function notFound(talk: Talk, within: "session" | "project"): Promise<readonly string[]> {
  const missed: string[] = [];
  for (const { where, question, answer } of STATED) {
    const found = await answerTo(talk, "ctx_search", { query: question, in: within });
    const known = history(talk.last()).slice(0, -1);
    const isKnown = known.some(({ text }) => text.includes(answer));
    if (!found.includes(answer) && !isKnown) missed.push(`${where}: ${question}\n${found}`);
  }
  return missed;
}

describe("the first day", () => {
  test("a long session is folded and written down in the background, and no call is refused", async () => {
    first = await stage.talk();
    await workADay(stage, first, page.url);
    expect(folds(first.last()).length).toBeGreaterThan(1);
    await eventually("a batch is written", () => segments(stage, first.id).length > 8);
    expect(jobCalls(stage).length).toBeGreaterThan(2);
    await eventually("facts are memories", () => memories(stage).length === LEARNT.length);
    const compactions = stage.provider.listCalls(first.id, "compaction");
    expect(compactions).toEqual([]);
  });

  test("what the model keeps and notes is stored", async () => {
    const kept = { action: "write", category: "config-values", text: PORT };
    expect(await answerTo(first, "ctx_memory", kept)).toMatch(/^Stored as m:\w{6}\.$/);
    const index = { text: "Add the index on session_tokens.user_id.", for: "project" };
    expect(await answerTo(first, "ctx_note", index)).toMatch(/^Stored as n:\w{6}\.$/);
    expect(await answerTo(first, "ctx_note", { text: "Ask the bank." })).toStartWith("Stored as");
  });

  test("what nobody has said waits for the user's word, who gives it in the shell", async () => {
    const list = await shell(["memory"]);
    expect(list).toContain("2 memories of first, 1 candidate");
    const found = /^Candidates: [^\n]+\n +(\d+) {2}The checkout has to answer/m.exec(list)?.[1];
    expect(await shell(["memory", "confirm", one(found)])).toStartWith("Confirmed memory");
  });

  test("I21: each fact of the day stands in the context or is found by one ctx_search", async () => {
    expect(await notFound(first, "session")).toEqual([]);
  });

  test("Y6: after a compaction, memories and open notes are in view", async () => {
    await first.client.summarize(first.id, middle.model);
    await first.say("Good night.", middle);
    const { system } = first.last();
    for (const text of [...LEARNT.map(([, fact]) => fact), PORT, "(project) Add the index on"]) {
      expect(system).toContain(text);
    }
    expect(system).toContain("Ask the bank.");
  });
});

describe("the second day", () => {
  test("W6, Y3: a new session knows what the first one has learnt, from its first request", async () => {
    await stage.host.restart({ TZ: TIMEZONES.late });
    second = await stage.talk();
    await second.say("Good morning.", middle);
    const { system } = second.last();
    for (const [, fact] of LEARNT) expect(system).toContain(fact);
    expect(system).toContain(PORT);
    expect(system).toContain("Add the index on session_tokens.user_id.");
    expect(system).not.toContain("Ask the bank.");
  });

  test("R5, I21: its ctx_search finds each fact of the first day", async () => {
    expect(await notFound(second, "project")).toEqual([]);
  });

  test("Y7: the shell lists what was learnt within 80 columns, says where it is from, and finds it", async () => {
    const list = await shell(["memory"]);
    expect(list).toContain("3 memories of first");
    expect(list).toContain("says how to correct, confirm, archive");
    expect(tooWide(list)).toEqual([]);
    const number = one(/(\d+) {2}Keep the numbers of old/.exec(list)?.[1]);
    const about = await shell(["memory", "show", number]);
    expect(about).toContain(`by historian in ${first.id}`);
    expect(about).toMatch(/said by a user, in the segment h:\w{6}/);
    expect(tooWide(about)).toEqual([]);
    expect(await shell(["search", "p99 of the checkout"])).toContain("p99 874 ms");
    expect(await shell(["jobs"])).toMatch(/^\d+ {2}historian, done; .*claude-second: [\d,]+ in/m);
    const folded = await shell(["history", first.id]);
    expect(folded).toMatch(/^Segments: \d+$/m);
    expect(folded).toContain("until the compaction");
  });

  test("Y3: a correction from the shell is announced to the running session once", async () => {
    const ref = await findMemoryNumber("5433");
    const corrected = "The staging database listens on port 6544.";
    expect(await shell(["memory", "edit", ref, "--text", corrected])).toBe(
      `Updated memory ${ref}.\n`,
    );
    await second.say("Go on.", middle);
    await second.say("Go on.", middle);
    expect(updates(second.last()).filter((text) => text.includes("6544"))).toHaveLength(1);
    expectSteady(second.main().slice(-2));
    expect(await shell(["memory", "archive", ref])).toBe(`Archived memory ${ref}.\n`);
    expect(await shell(["memory"])).not.toContain(corrected);
    expect(await shell(["memory", "--all"])).toContain(`${ref}  ${corrected} (60, archived)`);
    expect(await shell(["memory", "restore", ref])).toBe(`Restored memory ${ref}.\n`);
  });

  test("Y3: what is forgotten is gone from the next session's first request", async () => {
    const [, constraint] = LEARNT;
    const number = await findMemoryNumber("The checkout");
    const ref = refIn(await shell(["memory", "show", number]));
    expect(await shell(["memory", "forget", number])).toBe(`Deleted memory ${number} for good.\n`);
    await second.say("Go on.", middle);
    expect(updates(second.last()).at(-1)).toContain(`No longer listed: ${ref}`);
    const next = await stage.talk();
    await next.say("Hello.", middle);
    expect(next.last().system).not.toContain(constraint[1]);
    expect(next.last().system).toContain("port 6544");
    expect(await shell(["memory", "show", ref], 2)).toContain(`has no memory ${ref}`);
  });

  test("Y7: an export, edited by hand, is read back; another export doesn't write over it", async () => {
    const file = join(stage.host.project, "memories.md");
    await shell(["memory", "export", "memories.md"]);
    const edited = readFileSync(file, "utf8").replace("port 6544", "port 7655");
    await Bun.write(file, edited);
    // By now a fold pays, which begins an epoch: the update is to come in a running one.
    await second.say("Go on.", middle);
    expect(await shell(["memory", "export", "memories.md"], 2)).toContain("--force");
    expect(await shell(["memory", "import", "memories.md"])).toContain("changed 1, left 1");
    await second.say("Go on.", middle);
    expect(updates(second.last()).at(-1)).toContain("port 7655");
  });

  test("Y7: commands of the session read, correct and forget, without a call of the model", async () => {
    const list = await shown(second, "ctx-memory");
    expect(tooWide(list)).toEqual([]);
    expect(list).toContain("edit 3 TEXT, archive 3");
    const added = await shown(second, "ctx-memory", "add naming Tables are singular.");
    const number = one(/memory (\d+), under NAMING/.exec(added)?.[1]);
    expect(await shown(second, "ctx-memory", `forget ${number}`)).toBe(
      `Deleted memory ${number} for good.`,
    );
    const note = refIn(await shown(second, "ctx-note", "Call the bank."));
    expect(await shown(second, "ctx-note")).toContain(`[${note}] Call the bank.`);
    expect(await shown(second, "ctx-note", `done ${note}`)).toBe(`Done: ${note}.`);
    const status = (await shown(second, "ctx-status")).replaceAll(/\s+/g, " ");
    expect(status).toMatch(/Memory 2 memories of this project/);
    expect(status).toMatch(/Updates in this epoch: \d/);
  });
});
