import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { MODELS } from "../../src/host/models.ts";
import { call, fail, say } from "../../src/provider/reply.ts";
import { firstDifference } from "../../src/wire.ts";
import { stage } from "./one-host.ts";
import { baseline, count, expectSteady, history, one, type Talk, updates } from "./stage.ts";

/** A turn, an edit, and the turn that tells it. */
async function editedTalk(talk: Talk): Promise<Talk> {
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  expect(updates(talk.last())).toHaveLength(1);
  return talk;
}

const summarize = (talk: Talk) => talk.client.summarize(talk.id, MODELS.anthropic);

const TAIL = {
  "AGENTS.md": "Answer in short sentences.\n",
  "opencode.json": JSON.stringify({ compaction: { tail_turns: 2, preserve_recent_tokens: 8000 } }),
};

function tailed(name: string): Promise<Talk> {
  return stage.talk(stage.host.createClient(stage.host.addProject(name, TAIL)));
}

test("J6, I11: a compaction gives a new Baseline, and the updates before it are gone", async () => {
  const talk = await editedTalk(await stage.talk());
  const [before] = talk.main();
  await summarize(talk);
  await talk.say("Three");
  const after = talk.main().length;
  expect(updates(talk.last())).toEqual([]);
  expect(baseline(talk.last())).toContain("Be kind.");
  expect(before && baseline(before)).not.toContain("Be kind.");
  expect(count(talk.last(), "Be kind.")).toBe(1);
  expect(count(talk.last(), "Carry on with the work under test.")).toBe(1);
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await talk.say("Four");
  await talk.say("Five");
  expect(updates(talk.last())).toHaveLength(1);
  expectSteady(talk.main().slice(after - 1));
});

test("J6: the new epoch outlives a restart", async () => {
  const talk = await editedTalk(await stage.talk());
  await summarize(talk);
  await talk.say("Three");
  const after = talk.main().length;
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await stage.host.restart({});
  await talk.say("Four");
  await talk.say("Five");
  expectSteady(talk.main().slice(after - 1));
  expect(updates(talk.last())).toHaveLength(1);
});

test("I8, I11: what can't be read at a compaction is carried over as it was last told", async () => {
  const talk = await editedTalk(await stage.talk());
  const path = join(talk.client.folder, "AGENTS.md");
  talk.remove("AGENTS.md");
  symlinkSync("AGENTS.md", path);
  await summarize(talk);
  await talk.say("Three");
  const after = talk.main().length;
  expect(baseline(talk.last())).toContain("Be kind.");
  talk.remove("AGENTS.md");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Four");
  expect(count(talk.last(), "Be kind.")).toBe(1);
  expectSteady(talk.main().slice(after - 1));
});

test("J18: a compaction that fails leaves the epoch as it is", async () => {
  const talk = await editedTalk(await stage.talk());
  stage.provider.script.respond("compaction", () => fail(400));
  await summarize(talk).catch(() => "the host says that it failed");
  stage.provider.script.reset();
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await talk.say("Three");
  await talk.say("Four");
  expect(new Set(talk.main().map(baseline)).size).toBe(1);
  expect(updates(talk.last()).filter((text) => text.includes("Be bold."))).toHaveLength(1);
  expectSteady(talk.main());
});

test("J18: a compaction with a kept tail begins anew and is steady", async () => {
  const talk = await editedTalk(await tailed("tail"));
  await talk.say("Three");
  await summarize(talk);
  await talk.say("Four");
  const after = talk.main().length;
  expect(history(talk.last()).map(({ text }) => text)).toContain("Three");
  expect(baseline(talk.last())).toContain("Be kind.");
  expect(count(talk.last(), "Be kind.")).toBe(1);
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await talk.say("Five");
  await talk.say("Six");
  expect(updates(talk.last())).toHaveLength(1);
  expectSteady(talk.main().slice(after - 1));
});

test("J18: a failed one with a tail re-runs; the epoch goes on, and is steady", async () => {
  const talk = await editedTalk(await tailed("rerun"));
  await talk.say("Three");
  stage.provider.script.respond("compaction", () => fail(400));
  await summarize(talk).catch(() => "the host says that it failed");
  stage.provider.script.reset();
  // The host compacts again in place of an answer: its summary has this prompt as its parent.
  await talk.say("Four");
  await talk.say("Five");
  const after = talk.main().length;
  expect(stage.provider.listCalls(talk.id, "compaction")).toHaveLength(2);
  expect(count(talk.last(), "Be kind.")).toBe(1);
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await talk.say("Six");
  await talk.say("Seven");
  expectSteady(talk.main().slice(after - 1));
  expect(new Set(talk.main().map(baseline)).size).toBe(1);
  expect(updates(talk.last())).toHaveLength(2);
});

test("J18: a compaction on overflow begins a new epoch in the middle of the loop", async () => {
  const talk = await stage.talk();
  talk.edit({ "small.txt": "one line\n" });
  await talk.say("One", { model: MODELS.small });
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  const read = call("read", { filePath: `${talk.client.folder}/small.txt` });
  // Whatever would not fit by our estimate is folded before it is sent: the provider counts otherwise here.
  const message = "prompt is too long: 24001 tokens > 24000 maximum";
  stage.provider.script.queueFor(talk.id, read, { type: "refusal", message }, say("Long."));
  await talk.say("Read all", { model: MODELS.small });
  expect(stage.provider.listCalls(talk.id, "compaction")).toHaveLength(1);
  expect(baseline(talk.last())).toContain("Be kind.");
  expect(updates(talk.last())).toEqual([]);
  const after = talk.main().length;
  await talk.say("Two", { model: MODELS.small });
  expectSteady(talk.main().slice(after - 1));
});

test("J19: undoing a compaction brings the former epoch back, bytes and all", async () => {
  const talk = await editedTalk(await stage.talk());
  const before = talk.last();
  await summarize(talk);
  await talk.say("Three");
  const messages = await talk.client.messages(talk.id);
  const marker = messages.find(({ parts }) => parts.some(({ type }) => type === "compaction"));
  await talk.client.revert(talk.id, one(marker).info.id);
  await talk.say("Four");
  expect(firstDifference(before, talk.last())).toBeUndefined();
  expect(updates(talk.last())).toHaveLength(1);
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await talk.say("Five");
  expect(firstDifference(before, talk.last())).toBeUndefined();
  expect(updates(talk.last())).toHaveLength(2);
});

test("J19: undoing a compaction and taking the undo back finds the new epoch again", async () => {
  const talk = await editedTalk(await stage.talk());
  await summarize(talk);
  await talk.say("Three");
  const after = talk.last();
  const messages = await talk.client.messages(talk.id);
  const marker = messages.find(({ parts }) => parts.some(({ type }) => type === "compaction"));
  await talk.client.revert(talk.id, one(marker).info.id);
  await talk.client.unrevert(talk.id);
  await talk.say("Four");
  expectSteady([after, talk.last()]);
});
