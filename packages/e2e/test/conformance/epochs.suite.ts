import { expect, onTestFinished, test } from "bun:test";
import { join } from "node:path";
import { splitUpdatesAtEnd } from "@session-runtime/opencode/context/frames";
import { call, held, makeGate, say } from "../../src/provider/reply.ts";
import { blocks } from "../../src/wire.ts";
import { setClock, stage } from "./one-host.ts";
import {
  AGENTS_MD,
  baseline,
  DAY_MS,
  dayAfter,
  expectSteady,
  history,
  type Talk,
  updates,
} from "./stage.ts";

const notes = () => call("read", { filePath: join(stage.host.project, "notes.txt") });

async function longWork(restarts: "restarts" | "none"): Promise<Talk> {
  const talk = await stage.talk();
  talk.edit({ "AGENTS.md": AGENTS_MD });
  const pause = async () => (restarts === "restarts" ? stage.host.restart({}) : undefined);
  stage.provider.script.queueFor(talk.id, notes(), say("A note."));
  await talk.say("Read the notes");
  talk.edit({ "AGENTS.md": `${AGENTS_MD}Be kind.\n` });
  await pause();
  await talk.say("Two");
  await talk.say("Three");
  talk.edit({ "AGENTS.md": `${AGENTS_MD}Be bold.\n` });
  stage.provider.script.queueFor(talk.id, notes(), say("Still a note."));
  await talk.say("Read them again");
  await pause();
  await talk.say("Five");
  return talk;
}

test("J1, I1, I2: one Baseline over turns, tools and restarts while the world changes", async () => {
  const steady = await longWork("none");
  const restarted = await longWork("restarts");
  for (const talk of [steady, restarted]) {
    expect(talk.main()).toHaveLength(7);
    expectSteady(talk.main());
    expect(new Set(talk.main().map(baseline)).size).toBe(1);
    expect(updates(talk.last())).toHaveLength(2);
  }
  expect(restarted.main().map(blocks)).toEqual(steady.main().map(blocks));
});

test("J2, I4, I5: an update follows the user's text, once, and stays there", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  await talk.say("Three");
  const said = history(talk.last()).map(({ text }) => text);
  const at = said.findIndex((text) => text.startsWith("<system-update>"));
  expect(said[at - 1]).toBe("Two");
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toContain("Be kind.");
  expectSteady(talk.main());
});

test("J2, I5: within a loop an update follows the settled tool results", async () => {
  const talk = await stage.talk();
  const gate = makeGate();
  stage.provider.script.queueFor(talk.id, held(gate, notes()), notes(), say("Done."));
  const turn = await talk.client.promptAsync(talk.id, "Read twice");
  await stage.provider.arrival(({ session, kind }) => session === talk.id && kind === "main");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  gate.open();
  await turn.settled;
  const [first, second, third] = talk.main();
  if (!first || !second || !third) throw new Error("three calls expected");
  expect(updates(first)).toEqual([]);
  expect(updates(second)).toHaveLength(1);
  const result = history(second).at(-1)?.text ?? "";
  const { own, updates: told } = splitUpdatesAtEnd(result);
  expect(own).toContain("A first note.");
  expect(told).toHaveLength(1);
  expect(updates(third)).toHaveLength(1);
  expectSteady(talk.main());
});

test("J3: two sources that changed make one message", async () => {
  const talk = await stage.talk();
  onTestFinished(() => setClock(0));
  await talk.say("One");
  setClock(2 * DAY_MS);
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  await talk.say("Three");
  const [update, ...others] = updates(talk.last());
  expect(others).toEqual([]);
  expect(update).toStartWith(`Today's date is now: ${dayAfter(2)}\n\nThese instructions replace`);
  expect(update).toContain("Be kind.");
  expectSteady(talk.main());
});

test("J4: AGENTS.md removed and back again is told each time", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.remove("AGENTS.md");
  await talk.say("Two");
  talk.edit({ "AGENTS.md": AGENTS_MD });
  await talk.say("Three");
  await talk.say("Four");
  const [removal, back, ...others] = updates(talk.last());
  expect(others).toEqual([]);
  expect(removal).toBe("Previously loaded instructions no longer apply.");
  expect(back).toContain(AGENTS_MD.trim());
  expectSteady(talk.main());
});

test("I6, I8: a change that is undone before the next boundary is not told", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  talk.edit({ "AGENTS.md": AGENTS_MD });
  await talk.say("Two");
  expect(updates(talk.last())).toEqual([]);
  expectSteady(talk.main());
});

test("I13: no update shows in the user's transcript", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  expect(updates(talk.last())).toHaveLength(1);
  const transcript = JSON.stringify(await talk.client.messages(talk.id));
  expect(transcript).not.toContain("system-update");
  expect(transcript).not.toContain("Be kind.");
});
