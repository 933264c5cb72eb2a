import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { HostError } from "../src/client/client.ts";
import { writeFiles } from "../src/host/home.ts";
import { MODELS } from "../src/host/models.ts";
import type { JsonObject } from "../src/json.ts";
import { say } from "../src/provider/reply.ts";
import {
  countCallsBesideTitles,
  OURS,
  type Stage,
  type Talk,
  useStage,
} from "./conformance/stage.ts";
import { briefIn, joinCallText, repairs, SUMMARISERS, WORKS } from "./continuity-stage.ts";
import { errorMessage, reports } from "./ctx-status-stage.ts";
import { asShown, exampleCode } from "./documents.ts";

/** Its code blocks are what the host sends; docs/continuity.md has parts of them. */
const PAGE = readFileSync(`${import.meta.dir}/../../../docs/lab/brief.md`, "utf8");

/** One host: each test has a project of its own, which lists the plugin with the test's options. */
const bench = useStage({ plugin: [] });
let projects = 0;

async function talkWith(options: JsonObject): Promise<{ bench: Stage; talk: Talk }> {
  projects += 1;
  const folder = bench.host.addProject(`settings-${projects}`, {
    ...WORKS.spec.files,
    "opencode.json": JSON.stringify({ plugin: [[OURS, options]] }),
  });
  return { bench, talk: await bench.talk(bench.host.createClient(folder)) };
}

const compaction = ({ provider }: Stage, talk: Talk) => {
  const call = provider.listCalls(talk.id, "compaction").at(-1);
  if (!call) throw new Error("no compaction");
  return call;
};

async function ctxBrief(talk: Talk): Promise<string> {
  try {
    await talk.client.command(talk.id, "ctx-brief", "");
  } catch (error) {
    if (error instanceof HostError) return errorMessage(error);
    throw error;
  }
  throw new Error("the command went on to the model");
}

test("/ctx-brief prints the brief that is then pushed, without a call; what is pushed is stored", async () => {
  const { bench, talk } = await talkWith({});
  await talk.say("Begin");
  const calls = countCallsBesideTitles(bench.provider);
  const answer = await ctxBrief(talk);
  expect(answer).toContain("This is not an error: /ctx-brief was answered without a model call.");
  expect(countCallsBesideTitles(bench.provider)).toBe(calls);
  const [report] = reports(await talk.client.messages(talk.id));
  const printed = report?.text.split("\n\n").slice(1).join("\n\n");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  const pushed = briefIn(compaction(bench, talk));
  expect(pushed).not.toBeNull();
  expect(printed).toBe(pushed ?? "");
  expect(PAGE).toContain(`\n${pushed}\n`);
  const database = new Database(bench.host.home.database, { readonly: true });
  const row = database
    .query("SELECT text, compaction_id FROM brief WHERE session_id = ?")
    .get(talk.id) as JsonObject;
  database.close();
  expect(JSON.parse(String(row.text))).toBe(pushed);
  const messages = await talk.client.messages(talk.id);
  const marker = messages.find(({ parts }) => parts.some(({ type }) => type === "compaction"));
  expect(row.compaction_id).toBe(marker?.info.id ?? "");
});

test("docs/lab/brief.md shows what the first call after a lossy compaction holds", async () => {
  const { bench, talk } = await talkWith({});
  bench.provider.script.respond("compaction", () => say(SUMMARISERS.loses()));
  await talk.say("Begin");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("Go on");
  const { system } = talk.last();
  const told = system.slice(system.indexOf("When the conversation was compacted"));
  expect(PAGE).toContain(`\n${told.trimEnd()}\n`);
});

test("docs/continuity.md shows parts of these texts", () => {
  expect(PAGE).toMatch(asShown(exampleCode("Before and after", "", 1)));
  expect(PAGE).toMatch(asShown(exampleCode("Before and after", "", 2)));
});

test("L16: `continuity.prompt` replace: our prompt stands in the host's place, an earlier summary in it", async () => {
  const { bench, talk } = await talkWith({ continuity: { prompt: "replace" } });
  bench.provider.script.respond("compaction", () => say("## Summary\nThe first summary."));
  await talk.say("Begin");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  const first = joinCallText(compaction(bench, talk));
  expect(first).toContain("Summarize the conversation below so that another agent");
  expect(first).toContain("## Stage-Aware Continuation");
  expect(first).toContain("The following is the conversation history:");
  expect(first).not.toContain("Do not mention the summary process");
  await talk.say("Go on");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  expect(joinCallText(compaction(bench, talk))).toContain("The first summary.");
});

test("`continuity.enabled` false: the compaction is the host's own, and nothing is told after it", async () => {
  const { bench, talk } = await talkWith({ continuity: { enabled: false } });
  bench.provider.script.respond("compaction", () => say(SUMMARISERS.loses()));
  await talk.say("Begin");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("Go on");
  expect(briefIn(compaction(bench, talk))).toBeNull();
  expect(repairs(talk.last())).toBe(0);
  expect(await ctxBrief(talk)).toContain("continuity.enabled is false");
});

test("I15, I3: a brief that can't be stored is not pushed; the host compacts as it would", async () => {
  const { bench, talk } = await talkWith({});
  await talk.say("Begin");
  const database = new Database(bench.host.home.database);
  // The host writes to it as well.
  database.exec("PRAGMA busy_timeout = 5000");
  database.exec(
    "CREATE TRIGGER refuse BEFORE INSERT ON brief BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  await talk.client.summarize(talk.id, MODELS.anthropic);
  expect(briefIn(compaction(bench, talk))).toBeNull();
  await talk.say("Go on");
  expect(repairs(talk.last())).toBe(0);
  expect(talk.last().system).toContain("Answer in short sentences.");
  database.exec("DROP TRIGGER refuse");
  database.close();
});

test("L11: without any file the brief says what the runtime knows of the host's own rows", async () => {
  const { bench, talk } = await talkWith({});
  writeFiles(talk.client.folder, { "SESSION.md": "" });
  talk.remove(".codex");
  const edit = { filePath: `${talk.client.folder}/reader.ts`, content: "export {};\n" };
  const todos = [
    { content: "write the reader", status: "completed", priority: "high", id: "1" },
    { content: "stream the rows", status: "in_progress", priority: "high", id: "2" },
  ];
  bench.provider.script.queueFor(
    talk.id,
    { type: "answer", text: "", calls: [{ name: "todowrite", input: { todos } }] },
    { type: "answer", text: "", calls: [{ name: "write", input: edit }] },
    {
      type: "answer",
      text: "",
      calls: [{ name: "bash", input: { command: "exit 3", description: "Fails" } }],
    },
    say("The rows come next."),
  );
  await talk.say("Write an importer");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  const brief = briefIn(compaction(bench, talk));
  expect(brief).toContain("- The user's request: “Write an importer”");
  expect(brief).toContain("- Current todo: stream the rows");
  expect(brief).toContain("- Done todo: write the reader");
  expect(brief).toContain("- reader.ts (edited)");
  expect(brief).toContain("- `exit 3` failed last with exit code 3.");
  await talk.say("Go on");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  // The host's todo list outlives the epoch that it was written in.
  expect(briefIn(compaction(bench, talk))).toContain("- Current todo: stream the rows");
});

test("D12: after ten prompts without any file the brief has the newest request and what was done since, nothing empty, and claims no authority", async () => {
  const { bench, talk } = await talkWith({});
  talk.remove("SESSION.md");
  talk.remove(".codex");
  for (let index = 0; index < 9; index += 1) await talk.say(`Question ${index}`);
  const edit = { filePath: `${talk.client.folder}/answer.ts`, content: "export {};\n" };
  bench.provider.script.queueFor(
    talk.id,
    { type: "answer", text: "", calls: [{ name: "write", input: edit }] },
    say("Written."),
  );
  await talk.say("Write the answer down");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  expect(briefIn(compaction(bench, talk))).toBe(
    [
      "## Stage-Aware Continuation",
      "Gathered from the session's own history. Where the conversation says otherwise, the conversation is right.",
      "## Primary Objective",
      "- The user's request: “Write the answer down”",
      "- Done since: edited answer.ts.",
      "## Status",
      "- The user's newest request is answered.",
      "## Active Files",
      "- answer.ts (edited)",
    ].join("\n"),
  );
});
