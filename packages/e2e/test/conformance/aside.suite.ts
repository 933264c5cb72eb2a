import { expect, test } from "bun:test";
import { join } from "node:path";
import { writeFiles } from "../../src/host/home.ts";
import { MODELS, type ModelRef } from "../../src/host/models.ts";
import type { CallRecord } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { rowTest } from "../long.ts";
import { stage } from "./own-plugins.ts";
import { AGENTS_MD, expectSteady, OURS, type Talk, updates } from "./stage.ts";

const WITH_OURS = { "opencode.json": JSON.stringify({ plugin: [OURS] }) };

/** The two names are of one length, so that only the name itself differs. */
async function talkIn(name: string, files: Readonly<Record<string, string>>): Promise<Talk> {
  const folder = stage.host.addProject(name, {
    "AGENTS.md": AGENTS_MD,
    "notes.txt": "A first note.\n",
    ...files,
  });
  return stage.talk(stage.host.createClient(folder));
}

/** Tools, an edit, plan mode, a compaction by hand, and another one after more work. */
async function play(talk: Talk, model: ModelRef): Promise<readonly string[]> {
  const read = call("read", { filePath: join(talk.client.folder, "notes.txt") });
  stage.provider.script.queueFor(talk.id, read, say("A note."));
  await talk.say("Read the notes", { model });
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Plan it", { model, agent: "plan" });
  await talk.say("Do it", { model, agent: "build" });
  await talk.client.summarize(talk.id, model);
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await talk.say("Go on", { model });
  await talk.client.summarize(talk.id, model);
  const { listCalls } = stage.provider;
  const aside = [...listCalls(talk.id, "title"), ...listCalls(talk.id, "compaction")];
  return aside.map((record) => normal(talk, record));
}

function normal({ client, id }: Talk, { raw }: CallRecord): string {
  const body = new TextDecoder().decode(raw);
  return body.replaceAll(client.folder, "/project").replaceAll(id, "ses_of_the_test");
}

/** The continuity brief at the end of a compaction's prompt, as JSON holds it. */
const BRIEF = /\\n\\n## Stage-Aware Continuation(?:[^"\\]|\\.)*(?=")/;

// The host makes these calls of every format by the same code: two of them show it.
for (const [name, runs] of [
  ["anthropic", "each-run"],
  ["chat", "each-run"],
  ["responses", "long-runs"],
  ["gemini", "long-runs"],
] as const) {
  rowTest(
    runs,
    `J13, I14: title and compaction calls are byte for byte the stock host's, but for the brief at a compaction's end (${name})`,
    async () => {
      const stock = await talkIn(`stock-${name}`, {});
      const ours = await talkIn(`plain-${name}`, WITH_OURS);
      const expected = await play(stock, MODELS[name]);
      expect(expected).toHaveLength(3);
      const played = await play(ours, MODELS[name]);
      expect(played.map((body) => body.replace(BRIEF, ""))).toEqual([...expected]);
      expect(played.map((body) => BRIEF.test(body))).toEqual([false, true, true]);
      // The plugin was there all the time.
      expect(updates(one(ours.main().at(-2)))).toHaveLength(1);
      expect(updates(one(stock.main().at(-2)))).toEqual([]);
    },
  );
}

function one(record: CallRecord | undefined): CallRecord {
  if (!record) throw new Error("no call");
  return record;
}

test("the first request is the stock host's, but for the split of its system text and our tools", async () => {
  const stock = await talkIn("stock-first", {});
  const ours = await talkIn("plain-first", WITH_OURS);
  await stock.say("One");
  await ours.say("One");
  const plain = ({ blocks, system }: CallRecord, { client }: Talk) => ({
    system: system.replaceAll(client.folder, "/project"),
    rest: blocks
      .filter(({ layer, bytes }) => layer !== "system" && !bytes.startsWith('{"name":"ctx_'))
      .map(({ bytes }) => bytes.replaceAll(client.folder, "/project")),
  });
  expect(plain(ours.last(), ours)).toEqual(plain(stock.last(), stock));
});

test("N4: a session goes on under its own id when the plugin comes, and when it goes", async () => {
  const later = await talkIn("later", {});
  const former = await talkIn("former", WITH_OURS);
  for (const talk of [later, former]) {
    await talk.say("One");
    talk.edit({ "AGENTS.md": "Be kind.\n" });
    await talk.say("Two");
  }
  writeFiles(later.client.folder, WITH_OURS);
  writeFiles(former.client.folder, { "opencode.json": "{}" });
  await stage.host.restart({});
  for (const talk of [later, former]) {
    await talk.say("Three");
    talk.edit({ "AGENTS.md": "Be bold.\n" });
    await talk.say("Four");
    expect(await talk.client.children(talk.id)).toEqual([]);
  }
  expect(updates(later.last())).toHaveLength(1);
  expectSteady(later.main().slice(2));
  expect(updates(former.last())).toEqual([]);
  expect(former.last().system).toContain("Be bold.");
});
