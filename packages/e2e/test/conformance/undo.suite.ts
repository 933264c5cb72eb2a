import { expect, test } from "bun:test";
import { join } from "node:path";
import { call, say } from "../../src/provider/reply.ts";
import { firstDifference } from "../../src/wire.ts";
import { stage } from "./one-host.ts";
import { count, expectSteady, history, updates } from "./stage.ts";

test("J7, I10: an undo takes its news along, and they are told anew", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  const [first] = talk.main();
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  await talk.undo();
  await talk.say("Another two");
  const said = history(talk.last()).map(({ text }) => text);
  expect(said).not.toContain("Two");
  expect(updates(talk.last())).toHaveLength(1);
  expect(said.at(-1)).toStartWith("<system-update>");
  if (first) expect(firstDifference(first, talk.last())).toBeUndefined();
});

test("J7, I10: an undone change of the world is not told after the undo", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  await talk.undo();
  talk.edit({ "AGENTS.md": "Answer in short sentences.\n" });
  await talk.say("Another two");
  expect(updates(talk.last())).toEqual([]);
});

test("J7: a redo replays the same bytes", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  await talk.undo();
  await talk.client.unrevert(talk.id);
  await talk.say("Three");
  expectSteady(talk.main());
  expect(updates(talk.last())).toHaveLength(1);
});

test("J7: an undo of two turns keeps what was told before them", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  const two = talk.last();
  talk.edit({ "AGENTS.md": "Be bold.\n" });
  await talk.say("Three");
  await talk.say("Four");
  await talk.undo();
  await talk.undo();
  await talk.say("Another three");
  expect(firstDifference(two, talk.last())).toBeUndefined();
  const told = updates(talk.last());
  expect(told).toHaveLength(2);
  expect(told[1]).toContain("Be bold.");
});

test("J7, I18: an undo within a loop's turn withdraws the update that stood in it", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  const command = `echo 'Be loud.' > ${join(talk.client.folder, "AGENTS.md")}`;
  stage.provider.script.queueFor(
    talk.id,
    call("bash", { command, description: "x" }),
    say("Done."),
  );
  await talk.say("Change it");
  expect(updates(talk.last())).toHaveLength(1);
  await talk.undo();
  await stage.host.restart({});
  talk.edit({ "AGENTS.md": "Be loud.\n" });
  await talk.say("Two");
  await talk.say("Three");
  expect(updates(talk.last())).toHaveLength(1);
  expect(count(talk.last(), "Be loud.")).toBe(1);
  expectSteady(talk.main().slice(-2));
});
