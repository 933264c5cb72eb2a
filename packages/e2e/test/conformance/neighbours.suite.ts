import { expect, test } from "bun:test";
import { join } from "node:path";
import type { JsonObject } from "../../src/json.ts";
import type { CallRecord } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { prefixBreaks } from "../../src/wire.ts";
import { ctxStatus, reports } from "../ctx-status-stage.ts";
import { stage } from "./own-plugins.ts";
import { baseline, count, expectSteady, OURS, type Talk, updates } from "./stage.ts";

const fixture = (name: string) => join(import.meta.dir, "../../fixtures", name);

const ORDERS = ["before", "after"] as const;
type Order = (typeof ORDERS)[number];

/** A session of a project with another plugin loaded before or after ours. */
async function talkBeside(
  name: string,
  order: Order,
  plugin: string,
  options: (folder: string) => JsonObject,
): Promise<Talk> {
  const folder = join(stage.host.home.projects, `${name}-${order}`);
  const other = [fixture(plugin), options(folder)];
  const list = order === "before" ? [other, OURS] : [OURS, other];
  stage.host.addProject(`${name}-${order}`, {
    "AGENTS.md": "Answer in short sentences.\n",
    "notes.txt": "A first note.\n",
    "opencode.json": JSON.stringify({ plugin: list }),
  });
  return stage.talk(stage.host.createClient(folder));
}

function without(text: string, calls: readonly CallRecord[]) {
  return calls.map(({ blocks }) => ({
    blocks: blocks.filter(({ layer, bytes }) => layer !== "messages" || !bytes.includes(text)),
  }));
}

for (const order of ORDERS) {
  for (const hook of ["messages", "system"] as const) {
    test(`J20: an edit in ${hook}.transform of a plugin ${order} ours is told once, and not lost`, async () => {
      const talk = await talkBeside(`edit-${hook}`, order, "editor-plugin.js", (folder) => ({
        path: join(folder, "AGENTS.md"),
        edits: { 1: "Be kind.\n", 3: "Be bold.\n" },
        hook,
      }));
      for (const text of ["One", "Two", "Three", "Four", "Five"]) await talk.say(text);
      expectSteady(talk.main());
      // The host renders between the two hooks: what is frozen is what it rendered then.
      const isFrozen = hook === "messages";
      expect(baseline(talk.last()).includes("Be kind.")).toBe(isFrozen);
      expect(updates(talk.last())).toHaveLength(isFrozen ? 1 : 2);
      for (const text of ["Be kind.", "Be bold."]) expect(count(talk.last(), text)).toBe(1);
    });
  }

  test(`J24: a plugin ${order} ours keeps what it adds to the system string, and the prefix holds`, async () => {
    const options = () => ({ push: "A PUSHED MARK", append: "AN APPENDED MARK" });
    const talk = await talkBeside("system", order, "neighbour-plugin.js", options);
    await work(talk);
    expectSteady(talk.main());
    for (const record of talk.main()) {
      expect(record.system).toEndWith("\nA PUSHED MARK");
      expect(count(record, "AN APPENDED MARK")).toBe(1);
    }
    expect(updates(talk.last())).toHaveLength(1);
  });

  test(`J24: a line that a plugin ${order} ours puts in front of the system string stays there, and the Baseline is frozen behind it`, async () => {
    const line = "You log in to a provider.";
    const talk = await talkBeside("login", order, "login-plugin.js", () => ({ line }));
    await work(talk);
    expectSteady(talk.main());
    for (const record of talk.main()) expect(record.system).toStartWith(line);
    expect(baseline(talk.last())).toContain("Answer in short sentences.");
    expect(updates(talk.last())).toHaveLength(1);
    await ctxStatus(talk.client, talk.id);
    const [report] = reports(await talk.client.messages(talk.id));
    expect(report?.text).not.toContain("isn't recognised");
  });

  test(`J24: a part that a plugin ${order} ours adds in memory comes and goes, is named as a cause, and moves nothing of ours`, async () => {
    const talk = await talkBeside("part", order, "neighbour-plugin.js", () => ({ part: "A MARK" }));
    await work(talk);
    for (const record of talk.main()) expect(count(record, "A MARK")).toBe(1);
    expect(updates(talk.last())).toHaveLength(1);
    expect(prefixBreaks(without("A MARK", talk.main()))).toEqual([]);
    await ctxStatus(talk.client, talk.id);
    const [report] = reports(await talk.client.messages(talk.id));
    // It went from its message with the second prompt, and with the third.
    const cause = "! bust: sent history changed: an undo, another plugin, or the host";
    expect(report?.text.split(cause)).toHaveLength(3);
  });
}

async function work(talk: Talk): Promise<void> {
  const read = call("read", { filePath: join(talk.client.folder, "notes.txt") });
  stage.provider.script.queueFor(talk.id, read, say("A note."));
  await talk.say("Read the notes");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  stage.provider.script.queueFor(talk.id, read, say("A note."));
  await talk.say("Once more");
  await talk.say("Go on");
}

test("J21: a prompt's own system reaches its own calls and no other", async () => {
  const talk = await talkBeside("own-system", "after", "neighbour-plugin.js", () => ({}));
  await talk.say("One");
  const read = call("read", { filePath: join(talk.client.folder, "notes.txt") });
  stage.provider.script.queueFor(talk.id, read, say("A note."));
  await talk.say("Two", { system: "SPEAK SLOWLY" });
  await talk.say("Three");
  await talk.say("Four", { system: "SPEAK LOUDLY" });
  expect(talk.main().map((record) => count(record, "SPEAK SLOWLY"))).toEqual([0, 1, 1, 0, 0]);
  expect(talk.main().map((record) => count(record, "SPEAK LOUDLY"))).toEqual([0, 0, 0, 0, 1]);
  const plain = talk.main().map(({ blocks }) => ({
    blocks: blocks.filter(({ bytes }) => !bytes.includes("SPEAK ")),
  }));
  expect(prefixBreaks(plain)).toEqual([]);
});

test("J21: a first prompt's own system is not frozen", async () => {
  const { client } = await talkBeside("own-first", "after", "neighbour-plugin.js", () => ({}));
  const talk = await stage.talk(client);
  await talk.say("One", { system: "SPEAK SLOWLY" });
  await talk.say("Two");
  expect(talk.main().map((record) => count(record, "SPEAK SLOWLY"))).toEqual([1, 0]);
});
