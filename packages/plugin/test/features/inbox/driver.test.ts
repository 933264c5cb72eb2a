import { expect, test } from "bun:test";
import type { HostRow } from "../../../src/feature-api/prompt.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { quiet } from "./fake-clock.ts";
import { openStage, type Stage } from "./stage.ts";

const workspace = new Workspace();

/** A prompt whose second part another plugin takes out after it was stored; it is not saved yet. */
async function cutPrompt({ inbox }: Stage, id: string): Promise<HostRow> {
  const parts = ["Look", "here"].map((text, at) => ({ id: `${id}_${at}`, type: "text", text }));
  const message = { id, role: "user", agent: "build", model: MODEL } as const;
  const asked = { agent: null, model: null, variant: null };
  await inbox.onArrival({ sessionId: session, message, parts, asked });
  parts.pop();
  return { info: { id }, parts };
}

const MODEL = { providerID: "anthropic", modelID: "claude" };

test("H6: a look that fails is reported once to whoever keeps the log, and strands no later one", async () => {
  let fails = true;
  let failed = 0;
  const traced = async (_sessionId: unknown, look: () => Promise<string>) => {
    if (fails) {
      failed += 1;
      throw new Error("the first look");
    }
    await look();
  };
  const stage = openStage(workspace, { deps: { traced } });
  const asked = [stage.inbox.resume(session), stage.inbox.resume(session)];
  stage.inbox.onSettled(session);
  expect(await Promise.all(asked)).toEqual([{ kind: "nothing" }, { kind: "nothing" }]);
  fails = false;
  expect(await stage.inbox.check(session)).toEqual({ kind: "nothing" });
  expect(failed).toBeGreaterThan(0);
  expect(stage.failures).toEqual(Array(failed).fill("inbox: Error: the first look"));
});

test("H7: ten thousand looks that each wake the next don't grow the stack", async () => {
  let looks = 0;
  const depths: number[] = [];
  const done = Promise.withResolvers<void>();
  const stage = openStage(workspace, {
    deps: {
      traced: async () => {
        looks += 1;
        if (looks % 1_000 === 1) depths.push(String(new Error("depth").stack).split("\n").length);
        if (looks < 10_000) stage.inbox.onSettled(session);
        else done.resolve();
      },
    },
  });
  stage.inbox.onSettled(session);
  await done.promise;
  await quiet();
  expect(looks).toBe(10_000);
  expect(Math.max(...depths.slice(1))).toBe(Math.min(...depths.slice(1)));
});

test("what a timer brings and fails is reported by what it was for", async () => {
  const stage = openStage(workspace);
  stage.host.answers = ["hang"];
  await stage.host.prompt({ text: "Hello" });
  stage.close();
  await stage.clock.pass(30_000);
  const places = stage.failures.map((said) => said.split(":")[0]);
  expect(new Set(places)).toEqual(new Set(["promotion", "lease"]));
});

test("what a timer brings for a prompt and fails is reported as the inbox's", async () => {
  const stage = openStage(workspace);
  await stage.host.prompt({ text: "For the record", noReply: true });
  stage.close();
  await stage.clock.pass(5_000);
  expect(stage.failures.map((said) => said.split(":")[0])).toEqual(["inbox"]);
});

test("of a thousand prompts it is known in memory what the host saves of each, and of older ones by their rows", async () => {
  const stage = openStage(workspace);
  stage.inbox.onEvent({ kind: "busy", sessionId: session });
  const [one, two] = [await cutPrompt(stage, "msg_one"), await cutPrompt(stage, "msg_two")];
  for (let index = 0; index < 999; index += 1) await cutPrompt(stage, `msg_more_${index}`);
  stage.inbox.onBoundary(session, [one], 40);
  await stage.clock.pass(40);
  const promoted = () => stage.states().filter((state) => state === "promoted").length;
  expect(promoted()).toBe(1);
  await cutPrompt(stage, "msg_three");
  const newest = await cutPrompt(stage, "msg_newest");
  stage.inbox.onBoundary(session, [two], 40);
  await stage.clock.pass(40);
  expect(promoted()).toBe(1);
  stage.inbox.onBoundary(session, [newest], 40);
  await stage.clock.pass(40);
  expect(promoted()).toBe(2);
});

test("a session that runs by the host's last word is left alone, and nothing is asked of the host", async () => {
  const stage = openStage(workspace);
  stage.host.answers = ["hang"];
  await stage.host.prompt({ text: "Hello" });
  await stage.clock.pass(100);
  const asked: string[] = [];
  stage.host.session = async () => {
    asked.push("session");
    return { title: "A session", revert: "none" };
  };
  stage.inbox.onSettled(session);
  await quiet();
  expect(asked).toEqual([]);
  expect(stage.failures).toEqual([]);
  stage.host.release("stop");
  await stage.rest();
  expect(asked).toEqual(["session"]);
  expect(stage.states()).toEqual(["answered"]);
});

test("each look is traced with what it came to", async () => {
  const outcomes: string[] = [];
  const traced = async (_sessionId: unknown, look: () => Promise<string>) => {
    outcomes.push(await look());
  };
  const stage = openStage(workspace, { deps: { traced } });
  stage.host.answers = ["abort"];
  await stage.host.prompt({ text: "Hello" });
  await stage.rest();
  await stage.inbox.check(session);
  await stage.inbox.resume(session);
  await stage.rest();
  await stage.inbox.check(session);
  expect(new Set(outcomes)).toEqual(new Set(["rest", "hold", "again", "nothing"]));
});

test("a look that was stopped is traced so", async () => {
  const outcomes: string[] = [];
  const traced = async (_sessionId: unknown, look: () => Promise<string>) => {
    outcomes.push(await look());
  };
  const stage = openStage(workspace, { deps: { traced } });
  const prompt = { sessionId: session, id: null, parts: [{ type: "text", text: "Later" }] };
  await stage.inbox.admit({ ...prompt, delivery: "queue", reply: "wanted" });
  await stage.inbox.interrupt(session);
  expect(outcomes).toEqual(["stopped"]);
});

test("a queue says whether its session runs", async () => {
  const stage = openStage(workspace);
  expect((await stage.inbox.readQueue(session)).isIdle).toBe(true);
  stage.host.answers = ["hang"];
  await stage.host.prompt({ text: "Hello" });
  await quiet();
  expect((await stage.inbox.readQueue(session)).isIdle).toBe(false);
});
