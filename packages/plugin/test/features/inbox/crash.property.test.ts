import { expect, test } from "bun:test";
import fc from "fast-check";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { type Fault, FaultPlan, isCrash, openWithFaults } from "../../storage/faults.ts";
import { Workspace } from "../../storage/workspace.ts";
import {
  comeToRest,
  type Deed,
  deed,
  expectNothingLost,
  perform,
  restart,
  start,
  type World,
} from "./deeds.ts";

const workspace = new Workspace();
const queueA: Deed = { kind: "queue", name: "a" };
const RUNS = process.env.LONG === "1" ? 400 : 60;
const SEED = Number(process.env.SEED ?? 20_261_123);

test(`I16: whatever is sent, queued, retried, interrupted and killed in between, each admitted prompt is in the conversation once, in order, and answered (SEED=${SEED}, ${RUNS} runs)`, async () => {
  const answers = fc.array(fc.constantFrom("stop" as const, "hang" as const, "fail" as const), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 14 }), answers, async (deeds, planned) => {
      const world = start(workspace);
      world.host.answers = [...planned];
      for (const [index, one] of deeds.entries()) await perform(world, one, index);
      await comeToRest(world);
      expectNothingLost(world);
      world.stage.close();
    }),
    {
      seed: SEED,
      numRuns: RUNS,
      examples: [[[queueA, queueA, { kind: "torn", savedParts: 1 }], []]],
    },
  );
}, 600_000);

/** A queue of two behind a turn, with a steer: what a crash is tried in. */
const SCRIPT: readonly Deed[] = [
  { kind: "prompt", name: "a" },
  { kind: "queue", name: "q" },
  { kind: "queue", name: "r" },
  { kind: "wait", ms: 60 },
  { kind: "prompt", name: "b" },
  { kind: "release", answer: "stop" },
  { kind: "wait", ms: 60 },
  { kind: "release", answer: "stop" },
  { kind: "wait", ms: 3_000 },
];

async function play(fault: Fault | null): Promise<{ world: World; calls: number }> {
  const plan = new FaultPlan();
  const world = start(workspace, { openDriver: openWithFaults(openBunDriver, plan) });
  world.host.answers = ["hang", "stop", "hang"];
  plan.disarm();
  if (fault) plan.arm(fault);
  for (const [index, one] of SCRIPT.entries()) {
    try {
      await perform(world, one, index);
    } catch (error) {
      if (!fault || !(isCrash(error) || /killed/.test(String(error)))) throw error;
    }
    // The fault is a crash: the host is gone with it.
    if (fault && (world.host.process === "down" || plan.calls >= fault.atCall)) break;
  }
  const { calls } = plan;
  plan.disarm();
  if (fault) restart(world);
  return { world, calls };
}

test("I16: a crash at every storage call of a session with a queue and a steer loses nothing and sends nothing twice", async () => {
  const calm = await play(null);
  await comeToRest(calm.world);
  expectNothingLost(calm.world);
  expect(calm.calls).toBeGreaterThan(40);
  const step = process.env.LONG === "1" ? 1 : 3;
  for (let atCall = 1; atCall <= calm.calls; atCall += step) {
    for (const strikes of ["before", "after"] as const) {
      const error = new Error(`crash ${strikes} call ${atCall}`);
      const { world } = await play({ atCall, strikes, afterwards: "dead", error });
      await comeToRest(world);
      expectNothingLost(world);
    }
  }
}, 600_000);
