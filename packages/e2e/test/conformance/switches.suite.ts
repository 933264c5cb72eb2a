import { expect, test } from "bun:test";
import { join } from "node:path";
import { MODELS } from "../../src/host/models.ts";
import type { CallRecord } from "../../src/provider/record.ts";
import { call, say } from "../../src/provider/reply.ts";
import { REVIEWER, stage } from "./one-host.ts";
import { baseline, cached, count, expectSteady, updates } from "./stage.ts";

const PLAN = "# Plan Mode - System Reminder";
const BUILD = "Your operational mode has changed from plan to build";

/** Everything that the earlier call left in the cache is read by the later one. */
function expectWarm(earlier: CallRecord | undefined, later: CallRecord | undefined): void {
  if (!earlier || !later) throw new Error("two calls expected");
  expect(cached(later).read).toBeGreaterThanOrEqual(cached(earlier).all);
}

test("J8: to another agent and back keeps the epoch, and both caches stay warm", async () => {
  const talk = await stage.talk();
  await talk.say("One", { agent: "build" });
  await talk.say("Two", { agent: "build" });
  await talk.say("Three", { agent: "reviewer" });
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Four", { agent: "reviewer" });
  await talk.say("Five", { agent: "build" });
  await talk.say("Six", { agent: "reviewer" });
  const [one, two, three, four, five, six] = talk.main() as readonly CallRecord[];
  expect(new Set(talk.main().map(baseline)).size).toBe(1);
  expect(three?.system).toStartWith(REVIEWER.prompt);
  expectSteady([one, two, five].filter((record) => record !== undefined));
  expectSteady([three, four, six].filter((record) => record !== undefined));
  expectWarm(one, two);
  expectWarm(two, five);
  expectWarm(three, four);
  expectWarm(four, six);
  expect(updates(talk.last())).toHaveLength(1);
});

test("J9: to another model and back keeps the epoch, and says which model it is", async () => {
  const talk = await stage.talk();
  await talk.say("One");
  await talk.say("Two", { model: MODELS.second });
  await talk.say("Three", { model: MODELS.second });
  await talk.say("Four", { model: MODELS.anthropic });
  await talk.say("Five", { model: MODELS.second });
  const [one, , three, four, five] = talk.main();
  expectSteady(talk.main());
  expect(talk.main().map(({ model }) => model)).toEqual([
    "claude-mock",
    "claude-second",
    "claude-second",
    "claude-mock",
    "claude-second",
  ]);
  expect(updates(talk.last()).map((text) => text.split(". ")[0])).toEqual([
    "You are now powered by the model named claude-second",
    "You are now powered by the model named claude-mock",
    "You are now powered by the model named claude-second",
  ]);
  expectWarm(one, four);
  expectWarm(three, five);
});

test("J10: plan mode there and back keeps the prefix; its reminders stay where they were sent", async () => {
  const talk = await stage.talk();
  const read = call("read", { filePath: join(stage.host.project, "notes.txt") });
  for (const agent of ["build", "plan", "plan", "build", "build", "plan"]) {
    stage.provider.script.queueFor(talk.id, read, say("Read."));
    await talk.say(`Go on in ${agent}`, { agent });
  }
  expectSteady(talk.main());
  const plans = talk.main().map((record) => count(record, PLAN));
  expect(plans).toEqual([0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3]);
  const builds = talk.main().map((record) => count(record, BUILD));
  expect(builds).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2]);
});

test("J10: an update in plan mode, and a restart after it, keep the prefix", async () => {
  const talk = await stage.talk();
  await talk.say("One", { agent: "build" });
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Two", { agent: "plan" });
  await stage.host.restart({});
  await talk.say("Three", { agent: "build" });
  await talk.say("Four", { agent: "build" });
  expectSteady(talk.main());
  expect(updates(talk.last())).toHaveLength(1);
  expect(count(talk.last(), PLAN)).toBe(1);
});

test("J10: plan mode does not change what a compaction is told, and is steady after it", async () => {
  const talk = await stage.talk();
  await talk.say("One", { agent: "plan" });
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("Two", { agent: "plan" });
  const after = talk.main().length;
  await talk.say("Three", { agent: "build" });
  await talk.say("Four", { agent: "build" });
  expectSteady(talk.main().slice(after - 1));
});
