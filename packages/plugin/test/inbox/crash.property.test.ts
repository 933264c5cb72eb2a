import { expect, test } from "bun:test";
import fc from "fast-check";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { type Fault, FaultPlan, isCrash, openWithFaults } from "../storage/faults.ts";
import { session } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";
import { FakeClock, quiet } from "./fake-clock.ts";
import { FakeHost } from "./fake-host.ts";
import { openStage, type Stage } from "./stage.ts";

const workspace = new Workspace();

/** What a user does, one after the other, while turns run, hang and fail. */
type Deed =
  | { readonly kind: "queue"; readonly name: string }
  | { readonly kind: "prompt"; readonly name: string }
  | { readonly kind: "retry"; readonly name: string }
  | { readonly kind: "release"; readonly answer: "stop" | "fail" | "abort" }
  | { readonly kind: "resume" }
  | { readonly kind: "wait"; readonly ms: number }
  /** A prompt of two parts that the host is killed at when it has saved so many, and a new process. */
  | { readonly kind: "torn"; readonly savedParts: 0 | 1 }
  /** kill -9, and a new process on the same data. */
  | { readonly kind: "kill" };

const name = fc.constantFrom("a", "b", "c", "d");
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constant("queue" as const), name }),
  fc.record({ kind: fc.constant("prompt" as const), name }),
  fc.record({ kind: fc.constant("retry" as const), name }),
  fc.record({
    kind: fc.constant("release" as const),
    answer: fc.constantFrom("stop" as const, "fail" as const, "abort" as const),
  }),
  fc.record({ kind: fc.constant("resume" as const) }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(0, 30, 60, 3_000) }),
  fc.record({
    kind: fc.constant("torn" as const),
    savedParts: fc.constantFrom(0 as const, 1 as const),
  }),
  fc.record({ kind: fc.constant("kill" as const) }),
);

interface World {
  readonly path: string;
  readonly host: FakeHost;
  readonly clock: FakeClock;
  stage: Stage;
  /** Texts of prompts whose admission was confirmed. */
  readonly admitted: Set<string>;
  /** Those of the queue, in the order of their admission. */
  readonly queued: string[];
}

function start(path: string, plan: FaultPlan | null): World {
  const host = new FakeHost(session);
  const clock = new FakeClock();
  const openDriver = plan ? openWithFaults(openBunDriver, plan) : openBunDriver;
  const stage = openStage(workspace, { path, host, clock, openDriver });
  return { path, host, clock, stage, admitted: new Set(), queued: [] };
}

/** The process is gone; another one opens the same data. */
function restart(world: World): void {
  world.host.kill();
  world.clock.stop();
  world.stage.close();
  const deps = { recovery: "auto", isGone: () => true } as const;
  world.stage = openStage(workspace, {
    path: world.path,
    host: world.host,
    clock: world.clock,
    deps,
  });
}

async function perform(world: World, one: Deed, index: number): Promise<void> {
  const { host, stage, clock } = world;
  switch (one.kind) {
    case "queue": {
      const text = `queued ${index}`;
      const parts = [{ type: "text", text }];
      const own = {
        sessionId: session,
        id: null,
        parts,
        delivery: "queue",
        reply: "wanted",
      } as const;
      await stage.inbox.admit(own);
      world.admitted.add(text);
      world.queued.push(text);
      return;
    }
    case "prompt":
    case "retry": {
      const text = `prompt ${one.name}`;
      await host.prompt({ id: `msg_${one.name}`, text });
      world.admitted.add(text);
      return;
    }
    case "release":
      host.release(one.answer);
      await quiet();
      return;
    case "resume":
      await stage.inbox.resume(session);
      return;
    case "wait":
      await clock.pass(one.ms);
      return;
    case "torn": {
      // The inbox may be sending another one at this moment.
      host.tearText = `torn ${index}`;
      host.tearAfterParts = one.savedParts;
      const parts = [`torn ${index}`, "whole"].map((text) => ({ type: "text", text }));
      await expect(host.prompt({ parts })).rejects.toThrow("killed");
      world.admitted.add(`torn ${index}|whole`);
      restart(world);
      await quiet();
      return;
    }
    case "kill":
      restart(world);
      await quiet();
      return;
  }
}

/** Everything that can still go on does, by the user's word where it takes that. */
async function comeToRest(world: World): Promise<void> {
  world.host.answers = [];
  for (let round = 0; round < 12; round += 1) {
    world.host.release("stop");
    await world.clock.pass(60_000);
    await world.stage.inbox.resume(session);
    await world.clock.pass(60_000);
  }
}

function expectNothingLost(world: World): void {
  const { host, stage } = world;
  const texts = host.texts();
  for (const text of world.admitted) {
    expect(texts.filter((said) => said === text)).toEqual([text]);
  }
  expect(texts.filter((said) => world.queued.includes(said))).toEqual(world.queued);
  // `swallowed`: stored again under another id, which is answered.
  const open = stage.states().filter((state) => state !== "answered" && state !== "swallowed");
  expect(open).toEqual([]);
  const reader = openBunDriver(world.path);
  expect(reader.get("PRAGMA integrity_check")?.integrity_check).toBe("ok");
  const unpromoted = reader.get(
    "SELECT count(*) AS count FROM session_input WHERE promoted_at_ms IS NULL AND state <> 'swallowed'",
  );
  expect(unpromoted?.count).toBe(0);
  reader.close();
}

const queueA: Deed = { kind: "queue", name: "a" };
const RUNS = process.env.LONG === "1" ? 400 : 60;

test("I16: whatever is sent, queued, retried, interrupted and killed in between, each admitted prompt is in the conversation once, in order, and answered", async () => {
  const answers = fc.array(fc.constantFrom("stop" as const, "hang" as const, "fail" as const), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 14 }), answers, async (deeds, planned) => {
      const world = start(workspace.path(), null);
      world.host.answers = [...planned];
      for (const [index, one] of deeds.entries()) await perform(world, one, index);
      await comeToRest(world);
      expectNothingLost(world);
      world.stage.close();
    }),
    { numRuns: RUNS, examples: [[[queueA, queueA, { kind: "torn", savedParts: 1 }], []]] },
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
  const world = start(workspace.path(), plan);
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
