import { expect, test } from "bun:test";
import { join } from "node:path";
import { MODELS } from "../../src/host/models.ts";
import { breakOff, call, fail, held, makeGate, say, trailOff } from "../../src/provider/reply.ts";
import { rowTest } from "../long.ts";
import { stage } from "./one-host.ts";
import { expectSteady, history, updates } from "./stage.ts";

const notes = () => call("read", { filePath: join(stage.host.project, "notes.txt") });

/** The host retries all statuses that it retries in the same way. */
const FAILURES = [
  ["HTTP 429", fail(429), "each-run"],
  ["HTTP 500", fail(500), "long-runs"],
  ["HTTP 529", fail(529), "long-runs"],
  ["a stream that is torn down", breakOff("This will not be heard in full"), "each-run"],
] as const;

for (const [what, failure, runs] of FAILURES) {
  rowTest(runs, `J5, I3: ${what} replays the same bytes, update included`, async () => {
    const talk = await stage.talk();
    await talk.say("One");
    talk.edit({ "AGENTS.md": "Be kind.\n" });
    stage.provider.script.queueFor(talk.id, failure, failure, say("At last."));
    await talk.say("Two");
    const [, first, second, third] = talk.main();
    if (!first || !second || !third) throw new Error("three attempts expected");
    expect(updates(first)).toHaveLength(1);
    expect(second.raw).toEqual(first.raw);
    expect(third.raw).toEqual(first.raw);
    await talk.say("Three");
    expectSteady(talk.main());
    expect(updates(talk.last())).toHaveLength(1);
  });
}

test("J5: the world changing between two attempts does not change the second", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  const gate = makeGate();
  stage.provider.script.queueFor(talk.id, held(gate, fail(529)), say("At last."));
  const turn = await talk.client.promptAsync(talk.id, "Two");
  await stage.provider.arrival(({ session }) => session === talk.id && talk.main().length === 2);
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  gate.open();
  await turn.settled;
  const [, first, second] = talk.main();
  expect(second?.raw).toEqual(first?.raw as Uint8Array);
  await talk.say("Three");
  expect(updates(talk.last())).toHaveLength(1);
  expectSteady(talk.main());
});

test("J5: the first call of a session that fails is retried with the same Baseline", async () => {
  const talk = await stage.talk();
  stage.provider.script.queueFor(talk.id, fail(529), breakOff("This is cut"), say("At last."));
  await talk.say("One");
  await talk.say("Two");
  const [first, second, third] = talk.main();
  expect(second?.raw).toEqual(first?.raw as Uint8Array);
  expect(third?.raw).toEqual(first?.raw as Uint8Array);
  expectSteady(talk.main());
});

test("J5: a stream without a finish and the step after it keep the prefix", async () => {
  const talk = await stage.talk();
  stage.provider.script.queueFor(talk.id, trailOff("This will not be heard in full"), say("Now."));
  await talk.say("One");
  await talk.say("Two");
  expectSteady(talk.main());
});

test("J5: a refused request ends the turn; the update that it held is kept, not told twice", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  stage.provider.script.queueFor(talk.id, fail(400));
  await talk.say("Two");
  await talk.say("Three");
  expect(updates(talk.last())).toHaveLength(1);
  expectSteady(talk.main());
});

test("J5: an interrupted call is followed by one that extends it", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  stage.provider.script.queueFor(talk.id, held(makeGate(), say("Too late.")));
  const turn = await talk.client.promptAsync(talk.id, "Two");
  await stage.provider.arrival(({ session }) => session === talk.id && talk.main().length === 2);
  await talk.client.abort(talk.id);
  await turn.settled;
  await talk.client.waitIdle(talk.id);
  await talk.say("Three");
  expect(updates(talk.last())).toHaveLength(1);
  expectSteady(talk.main());
});

test("N1: one stream call for each provider turn, and history reloaded before continuation", async () => {
  const talk = await stage.talk();
  const gate = makeGate();
  stage.provider.script.queueFor(talk.id, held(gate, notes()), notes(), say("Both."));
  const turn = await talk.client.promptAsync(talk.id, "One");
  await stage.provider.arrival(({ session, kind }) => session === talk.id && kind === "main");
  await talk.client.promptAsync(talk.id, "Meanwhile");
  gate.open();
  await turn.settled;
  expect(talk.main()).toHaveLength(3);
  const texts = talk.main().map((record) => history(record).map(({ text }) => text));
  expect(texts.map((said) => said.includes("Meanwhile"))).toEqual([false, true, true]);
  expectSteady(talk.main());
});

test("N2: agent and model are the ones of the provider turn's start", async () => {
  const talk = await stage.talk();
  const gate = makeGate();
  stage.provider.script.queueFor(talk.id, held(gate, notes()), say("Both."));
  const turn = await talk.client.promptAsync(talk.id, "One");
  await stage.provider.arrival(({ session, kind }) => session === talk.id && kind === "main");
  await talk.client.promptAsync(talk.id, "Meanwhile", { model: MODELS.second, agent: "plan" });
  gate.open();
  await turn.settled;
  expect(talk.main().map(({ model }) => model)).toEqual(["claude-mock", "claude-second"]);
  const answers = (await talk.client.messages(talk.id)).flatMap(({ info }) =>
    info.role === "assistant" ? [{ model: info.modelID, agent: info.mode }] : [],
  );
  expect(answers).toEqual([
    { model: "claude-mock", agent: "build" },
    { model: "claude-second", agent: "plan" },
  ]);
  expectSteady(talk.main());
});
