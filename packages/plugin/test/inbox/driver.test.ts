import { expect, test } from "bun:test";
import { session } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";
import { quiet } from "./fake-clock.ts";
import { openStage } from "./stage.ts";

const workspace = new Workspace();

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
  stage.inbox.settled(session);
  expect(await Promise.all(asked)).toEqual([{ kind: "nothing" }, { kind: "nothing" }]);
  fails = false;
  expect(await stage.inbox.look(session)).toEqual({ kind: "nothing" });
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
        if (looks < 10_000) stage.inbox.settled(session);
        else done.resolve();
      },
    },
  });
  stage.inbox.settled(session);
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
