import { expect, test } from "bun:test";
import { join } from "node:path";
import type { CallRecord } from "../../src/provider/record.ts";
import { call, calls, held, makeGate, say } from "../../src/provider/reply.ts";
import { firstDifference } from "../../src/wire.ts";
import { stage } from "./one-host.ts";
import {
  AGENTS_MD,
  baseline,
  cached,
  expectSteady,
  history,
  one,
  type Talk,
  updates,
} from "./stage.ts";

const notes = () => call("read", { filePath: join(stage.host.project, "notes.txt") });

function project(name: string): Promise<Talk> {
  const folder = stage.host.addProject(name, { "AGENTS.md": AGENTS_MD });
  return stage.talk(stage.host.createClient(folder));
}

test("J11, I12: four sessions at once are each steady, and each is told once", async () => {
  const talks = await Promise.all([1, 2, 3, 4].map(() => stage.talk()));
  const turn = async (talk: Talk, text: string) => {
    stage.provider.script.queueFor(talk.id, notes(), say("A note."));
    await talk.say(text);
  };
  await Promise.all(talks.map((talk, index) => turn(talk, `Begin ${index}`)));
  talks[0]?.edit({ "AGENTS.md": "Be kind.\n" });
  await Promise.all(talks.map((talk, index) => turn(talk, `Go on ${index}`)));
  await Promise.all(talks.map((talk, index) => turn(talk, `End ${index}`)));
  for (const [index, talk] of talks.entries()) {
    expect(talk.main()).toHaveLength(6);
    expectSteady(talk.main());
    expect(updates(talk.last())).toHaveLength(1);
    const prompts = history(talk.last()).filter(({ text }) => /^(Begin|Go on|End) /.test(text));
    expect(prompts.map(({ text }) => text.slice(-1))).toEqual(Array(3).fill(String(index)));
  }
});

test("J12, I12: children of the task tool run beside each other in epochs of their own", async () => {
  const { script } = stage.provider;
  const talk = await stage.talk();
  await talk.say("One");
  const gate = makeGate();
  script.respond("main", ({ session }) => (session === talk.id ? say("Done.") : say("Seen.")));
  const task = (prompt: string) => ({
    name: "task",
    input: { description: "Look", prompt, subagent_type: "general" },
  });
  script.queueFor(talk.id, calls(task("Look left"), task("Look right")), say("They looked."));
  // The first call of each child waits; then it goes on to a second one.
  script.queue(held(gate, notes()), held(gate, notes()));
  const turn = await talk.client.promptAsync(talk.id, "Send two");
  const isChild = ({ session, kind }: CallRecord) => kind === "main" && session !== talk.id;
  const begun = stage.provider.requests.length;
  const first = await stage.provider.arrival((record) => isChild(record) && record.index >= begun);
  await stage.provider.arrival((record) => isChild(record) && record.index > first.index);
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  gate.open();
  await turn.settled;
  const children = (await talk.client.children(talk.id)).map(({ id }) => stage.join(id));
  expect(children).toHaveLength(2);
  for (const child of children) {
    expect(child.main()).toHaveLength(2);
    expectSteady(child.main());
    expect(updates(child.last())).toHaveLength(1);
    expect(baseline(child.last())).not.toContain("Be kind.");
  }
  expectSteady(talk.main());
  expect(updates(talk.last())).toHaveLength(1);
  expect(history(talk.last()).at(-2)?.text).toContain("Seen.");
});

test("J14: a second project's first turn reads tools and preamble from the cache", async () => {
  await (await stage.talk()).say("Warm the cache");
  const talk = await project("second");
  await talk.say("One");
  const { read, all } = cached(talk.last());
  expect(read / all).toBeGreaterThan(0.5);
});

test("J15: a moved session starts anew, and again when it comes back", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  // The host moves a session within its project only: here into a folder of it.
  const there = join(stage.host.project, "there");
  talk.edit({ "there/AGENTS.md": "Speak of other things.\n" });
  const move = (directory: string) =>
    talk.client.request("POST", "/experimental/control-plane/move-session", {
      sessionID: talk.id,
      destination: { directory },
    });
  await move(there);
  const moved = stage.join(talk.id, stage.host.createClient(there));
  await moved.say("Three");
  expect(baseline(moved.last())).toContain("Speak of other things.");
  expect(baseline(moved.last())).toContain(`Working directory: ${there}`);
  expect(updates(moved.last())).toEqual([]);
  await moved.say("Four");
  expectSteady(moved.main().slice(2));
  await move(stage.host.project);
  await talk.say("Five");
  expect(baseline(talk.last())).toContain("Be kind.");
  expect(baseline(talk.last())).not.toContain("Speak of other things.");
  expect(updates(talk.last())).toEqual([]);
});

test("J16: a fork starts its own epoch from the same facts, and is steady", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two");
  const parent = talk.last();
  const fork = stage.join((await talk.client.fork(talk.id)).id);
  await fork.say("Three");
  expect(baseline(fork.last())).toContain("Be kind.");
  expect(updates(fork.last())).toEqual([]);
  fork.edit({ "AGENTS.md": "Be bold.\n" });
  await fork.say("Four");
  await fork.say("Five");
  expectSteady(fork.main());
  expect(updates(fork.last())).toHaveLength(1);
  await talk.say("Another three");
  expect(firstDifference(parent, talk.last())).toBeUndefined();
  expect(updates(talk.last())).toHaveLength(2);
});

test("J16: a fork of an unchanged session reads its parent's cache", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  await talk.say("Two");
  const fork = stage.join((await talk.client.fork(talk.id)).id);
  await fork.say("Three");
  expectSteady([one(talk.main()[1]), fork.last()]);
  expect(cached(fork.last()).read).toBeGreaterThanOrEqual(cached(talk.last()).all);
});

test("a deleted session's rows go, and a new one is not told of it", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  await talk.client.deleteSession(talk.id);
  const other = await stage.talk();
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await other.say("One");
  expect(updates(other.last())).toEqual([]);
});
