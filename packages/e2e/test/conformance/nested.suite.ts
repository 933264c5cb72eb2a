import { expect, test } from "bun:test";
import { join } from "node:path";
import { MODELS } from "../../src/host/models.ts";
import { call, held, makeGate, say } from "../../src/provider/reply.ts";
import { stage } from "./one-host.ts";
import { baseline, count, expectSteady, type Talk, updates } from "./stage.ts";

const NESTED = "Nested: keep it flat.";
const DEEP = "Nested: keep it deep.\n";

async function nestedTalk(name: string): Promise<Talk> {
  const folder = stage.host.addProject(name, {
    "AGENTS.md": "Answer in short sentences.\n",
    "sub/AGENTS.md": `${NESTED}\n`,
    "sub/a.txt": "A file below.\n",
    "sub/b.txt": "Another file below.\n",
  });
  return stage.talk(stage.host.createClient(folder));
}

async function read(talk: Talk, path: string): Promise<void> {
  const filePath = join(talk.client.folder, path);
  stage.provider.script.queueFor(talk.id, call("read", { filePath }), say("Read."));
  await talk.say(`Read ${path}`);
}

/** One that has them in its Baseline. */
async function compactedTalk(name: string): Promise<Talk> {
  const talk = await nestedTalk(name);
  await read(talk, "sub/a.txt");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("Two");
  return talk;
}

test("J23, D8: nested instructions come once, by the tool result", async () => {
  const talk = await nestedTalk("nested-once");
  await read(talk, "sub/a.txt");
  await read(talk, "sub/b.txt");
  await talk.say("Go on");
  expect(count(talk.last(), NESTED)).toBe(1);
  expect(updates(talk.last())).toEqual([]);
  expectSteady(talk.main());
});

test("J23: they are told once more when they change, and when they go", async () => {
  const talk = await nestedTalk("nested-change");
  await read(talk, "sub/a.txt");
  talk.edit({ "sub/AGENTS.md": DEEP });
  await talk.say("Two");
  await talk.say("Three");
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toContain(DEEP);
  talk.remove("sub/AGENTS.md");
  await talk.say("Four");
  await talk.say("Five");
  expect(updates(talk.last())).toHaveLength(2);
  expect(updates(talk.last())[1]).toContain("sub/AGENTS.md no longer apply");
  expectSteady(talk.main());
});

test("J23: after a compaction they stand in the Baseline, and the host's copy is taken out", async () => {
  const talk = await nestedTalk("nested-compacted");
  await read(talk, "sub/a.txt");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("Two");
  const after = talk.main().length;
  expect(count(talk.last(), NESTED)).toBe(1);
  expect(baseline(talk.last())).toContain(NESTED);
  await read(talk, "sub/b.txt");
  await talk.say("Four");
  expect(count(talk.last(), "Another file below.")).toBe(1);
  expect(count(talk.last(), NESTED)).toBe(1);
  expectSteady(talk.main().slice(after - 1));
});

test("J23: they are in the Baseline after a second compaction too", async () => {
  const talk = await nestedTalk("nested-twice");
  await talk.say("One");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await read(talk, "sub/a.txt");
  for (const text of ["Three", "Four"]) {
    await talk.client.summarize(talk.id, MODELS.anthropic);
    await talk.say(text);
    expect(baseline(talk.last())).toContain(NESTED);
  }
  talk.edit({ "sub/AGENTS.md": DEEP });
  await talk.say("Five");
  expect(updates(talk.last())).toHaveLength(1);
});

test("J23: one that changed before the prompt is told with it, and the host's copy is taken out", async () => {
  const talk = await compactedTalk("nested-changed-before");
  talk.edit({ "sub/AGENTS.md": DEEP });
  await read(talk, "sub/b.txt");
  await talk.say("Four");
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toContain(DEEP);
  expect(count(talk.last(), DEEP)).toBe(1);
  expectSteady(talk.main().slice(-3));
});

test("J23: one that changed since the prompt is told by the result, which keeps it", async () => {
  const talk = await compactedTalk("nested-changed-since");
  const before = talk.main().length;
  const gate = makeGate();
  const filePath = join(talk.client.folder, "sub/b.txt");
  stage.provider.script.queueFor(talk.id, held(gate, call("read", { filePath })), say("Read."));
  const turn = await talk.client.promptAsync(talk.id, "Read sub/b.txt");
  await stage.provider.arrival(({ session }) => session === talk.id && talk.main().length > before);
  talk.edit({ "sub/AGENTS.md": DEEP });
  gate.open();
  await turn.settled;
  await talk.say("Four");
  expect(updates(talk.last())).toEqual([]);
  expect(count(talk.last(), DEEP)).toBe(1);
  expectSteady(talk.main().slice(-3));
});

test("J23, I10: an undo of the read withdraws them, and a second read shows them again", async () => {
  const talk = await nestedTalk("nested-undone");
  await talk.say("One");
  await read(talk, "sub/a.txt");
  await talk.undo();
  await talk.say("Another two");
  expect(count(talk.last(), NESTED)).toBe(0);
  await read(talk, "sub/b.txt");
  expect(count(talk.last(), NESTED)).toBe(1);
  talk.edit({ "sub/AGENTS.md": DEEP });
  await talk.say("Five");
  expect(updates(talk.last())).toHaveLength(1);
});

test("J23, I2: a restart between the read and the change keeps them watched", async () => {
  const talk = await nestedTalk("nested-restart");
  await read(talk, "sub/a.txt");
  await stage.host.restart({});
  talk.edit({ "sub/AGENTS.md": DEEP });
  await talk.say("Two");
  expect(updates(talk.last())).toHaveLength(1);
  expectSteady(talk.main());
});
