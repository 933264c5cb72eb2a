import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MODELS, type ModelRef } from "../../src/host/models.ts";
import type { CallRecord } from "../../src/provider/record.ts";
import { call, calls, fail, say } from "../../src/provider/reply.ts";
import { stage } from "./one-host.ts";
import { expectSteady, type Talk } from "./stage.ts";

/** Turns, tools, edits, plan mode, a failed attempt, a restart, an undo, a compaction. */
async function play(talk: Talk): Promise<void> {
  const { script } = stage.provider;
  const read = { name: "read", input: { filePath: join(talk.client.folder, "notes.txt") } };
  script.queueFor(talk.id, calls(read), say("It holds a note."));
  await talk.say("Read the notes");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  script.queueFor(talk.id, fail(529), say("Gladly."));
  await talk.say("Go on");
  await talk.say("Plan it", { agent: "plan" });
  const command = `echo 'Be loud.' > ${join(talk.client.folder, "AGENTS.md")}`;
  script.queueFor(talk.id, call("bash", { command, description: "Write it" }), say("Written."));
  await talk.say("Do it", { agent: "build" });
  await stage.host.restart({});
  talk.remove("AGENTS.md");
  await talk.say("Now without");
  await talk.undo();
  await talk.say("Now without, once more", { model: MODELS.second });
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("What is left?", { model: MODELS.anthropic });
  talk.edit({ "AGENTS.md": "Be brief.\n" });
  await talk.say("And now?");
}

test("I1, I4, I5, I10, I11, I14: the wire of a session of all kinds is as recorded", async () => {
  const folder = stage.host.addProject("golden", {
    "AGENTS.md": "Answer in short sentences.\n",
    "notes.txt": "A first note.\n",
  });
  const talk = await stage.talk(stage.host.clientOf(folder));
  await play(talk);
  const ours = stage.provider.calls.filter(({ session }) => session === talk.id);
  expectGolden("anthropic.txt", transcript(talk, ours));
});

/** An update after a tool result, one after a prompt, and a turn that finds both in place. */
async function playShort(talk: Talk, model: ModelRef): Promise<void> {
  const command = `echo 'Be kind.' > ${join(talk.client.folder, "AGENTS.md")}`;
  const write = call("bash", { command, description: "Write it" });
  stage.provider.script.queueFor(talk.id, write, say("Written."));
  await talk.say("Write it", { model });
  talk.edit({ "AGENTS.md": "Be loud.\n" });
  await talk.say("Go on", { model });
  await talk.say("And on", { model });
}

test.each(["chat", "responses", "gemini"] as const)(
  "J17, I1, I4, I5: the wire of %s has its updates in place, as recorded",
  async (name) => {
    const folder = stage.host.addProject(`golden-${name}`, {
      "AGENTS.md": "Answer in short sentences.\n",
    });
    const talk = await stage.talk(stage.host.clientOf(folder));
    await playShort(talk, MODELS[name]);
    expectSteady(talk.main());
    expectGolden(`${name}.txt`, transcript(talk, talk.main()));
  },
);

/** Each call in full where it is new, with what it repeats of the call before as a count. */
function transcript({ client, id }: Talk, records: readonly CallRecord[]): string {
  const former = new Map<string, readonly string[]>();
  const parts = inOrder(records).map((record, position) => {
    const lines = record.blocks.map((block) => {
      const mark = block.breakpoint ? " *" : "";
      return { key: `${block.layer}/${block.role} ${block.bytes}`, ...block, mark };
    });
    const before = former.get(record.kind) ?? [];
    let same = 0;
    while (same < lines.length && before[same] === lines[same]?.key) same += 1;
    former.set(
      record.kind,
      lines.map(({ key }) => key),
    );
    const breakpoints = lines.flatMap(({ breakpoint }, index) => (breakpoint ? [index] : []));
    return [
      `## ${position + 1}. ${record.kind} ${record.model}: ${record.outcome.type}`,
      `repeats ${same} of ${before.length}; breakpoints at ${breakpoints.join(", ") || "none"}`,
      ...lines
        .slice(same)
        .map(({ layer, role, bytes }) => `${layer}/${role} ${shown(layer, bytes)}`),
    ].join("\n");
  });
  return `${parts.join("\n\n")}\n`
    .replaceAll(client.folder, "/project")
    .replaceAll(stage.host.home.root, "/home")
    .replaceAll(id, "ses_of_the_test")
    .replaceAll(/(Today's date(?: is now)?: )\w{3} \w{3} \d{2} \d{4}/g, "$1DAY");
}

/** The title runs beside the first step: it is put before it, whichever came first. */
function inOrder(records: readonly CallRecord[]): readonly CallRecord[] {
  const title = records.filter(({ kind }) => kind === "title");
  return [...title, ...records.filter(({ kind }) => kind !== "title")];
}

const LONGEST = 120;
const BASELINE = "You are powered by";

/** Tools and the host's own prompts are the host's: their beginning says which they are. */
function shown(layer: string, bytes: string): string {
  const value: Record<string, unknown> = JSON.parse(bytes);
  if (layer === "tools") return nameOf(value);
  const text = layer === "system" ? (value.text ?? value.content) : value.text;
  if (typeof text !== "string") return bytes;
  return layer === "system" ? shortened(text) : text;
}

/** In the formats of OpenAI's chat completions a tool's name stands one level below. */
function nameOf({ name, function: inner }: Record<string, unknown>): string {
  return typeof inner === "object" && inner !== null && "name" in inner
    ? String(inner.name)
    : String(name);
}

/** The host's own prompt by its beginning, the Baseline whole. */
function shortened(text: string): string {
  const start = text.indexOf(BASELINE);
  if (start === 0) return text;
  const prompt = start < 0 ? text : text.slice(0, start);
  const rest = start < 0 ? "" : `\n${text.slice(start)}`;
  return `${prompt.slice(0, LONGEST)}… (${prompt.length} characters)${rest}`;
}

function expectGolden(name: string, actual: string): void {
  const path = join(import.meta.dir, "golden", name);
  if (process.env.UPDATE_GOLDEN === "1") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
  }
  if (!existsSync(path)) throw new Error(`${path} is missing: write it with UPDATE_GOLDEN=1`);
  expect(actual).toBe(readFileSync(path, "utf8"));
}
