import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Invariant } from "./checker.ts";
import { alone, type Pair, reordered, restarted, restartedAnywhere } from "./comparisons.ts";
import { effort, explore, shrunk } from "./explore.ts";
import { Stage } from "./run.ts";
import { schedules } from "./schedules.ts";
import { plainCall as call, type Slot } from "./steps.ts";

const TIMEOUT_MS = 3_600_000;
const plainHistory = { history: "nothing" } as const;
const stage = new Stage();
afterAll(() => stage.dispose());
const explored = explore(stage);

describe(`any schedule of turns, changes, failures and restarts (SEED=${effort.seed})`, () => {
  const invariants: readonly (readonly [Invariant, string])[] = [
    ["I1", "what a model was sent before stands at the front of its next request"],
    ["I3", "no text of ours is sent before it is on disk"],
    ["I4", "an update is in each later call of its epoch exactly once"],
    ["I5", "an update stands behind the input and the results of its boundary"],
    ["I6", "the request tells the world as it was at the boundary"],
    ["I7", "after a crash or an error at any storage call nothing is torn"],
    ["I8", "what is unavailable is neither told nor forgotten"],
    ["I10", "after an undo the shorter history tells the world as it is"],
    ["I11", "a compaction begins a new Baseline, and the ledger keeps what was told"],
    ["I22", "sent history is rewritten only where its cache is dead, or given up knowingly"],
    ["I28", "after a fold, a drop or an undo of either, belief is what is sent"],
    ["I14", "title and compaction calls are sent as the host made them, retries as the first try"],
  ];
  for (const [invariant, promise] of invariants) {
    test(
      `${invariant}: ${promise}`,
      async () => {
        const { findings } = await explored;
        const finding = findings.get(invariant);
        if (finding) await shrunk(stage, invariant, finding);
      },
      TIMEOUT_MS,
    );
  }

  test(
    "the schedules reach what the invariants speak of",
    async () => {
      const { runs } = await explored;
      const calls = runs.flatMap((run) => run.calls);
      const causes = new Set(calls.map(({ opened }) => opened?.cause));
      expect([...causes].sort()).toEqual([
        ...["compacted", "first", "folded", "model", "moved", undefined],
      ]);
      const share = (of: number) => of / calls.length;
      expect(share(calls.filter(({ updates }) => updates.length > 0).length)).toBeGreaterThan(0.2);
      expect(share(calls.filter(({ head }) => head.kind === "compacted").length)).toBeGreaterThan(
        0.05,
      );
      expect(calls.some(({ head }) => head.kind === "broken")).toBe(true);
      expect(calls.some(({ disturbed }) => disturbed)).toBe(true);
      expect(calls.some(({ atBoundary }) => atBoundary.ambient === null)).toBe(true);
    },
    TIMEOUT_MS,
  );
});

describe("schedules that were found once", () => {
  test("I1: a reminder that could not be stored is not held, also where an undo comes back to its epoch", async () => {
    const prompt = { do: "prompt", slot: 0, own: null, call } as const;
    const { violations } = await stage.run({
      setting: {
        onModelSwitch: "keep",
        hostPrune: "on",
        ...plainHistory,
        loadOrder: 0,
        configured: [],
      },
      steps: [
        { ...prompt, agent: "plan", model: "gpt" },
        {
          ...{ ...prompt, agent: "build", model: "opus" },
          call: { ...call, fault: { kind: "error", atCall: 2 } },
        },
        { do: "restart" },
        { do: "compact", slot: 0, tail: 0, outcome: "done", goesOn: false, title: false, call },
        { ...prompt, agent: "build", model: "gpt" },
        { do: "undo", slot: 0, prompts: 2 },
        { ...prompt, agent: "build", model: "opus", call: { ...call, retries: 1 } },
      ],
    });
    expect(violations).toEqual([]);
  });

  test("I1: what a crash left of a compaction's epoch begins no epoch once the compaction is undone", async () => {
    const prompt = { do: "prompt", slot: 0, own: null, call } as const;
    const crashed = { ...call, fault: { kind: "crash", atCall: 8, strikes: "before" } } as const;
    const { calls, violations } = await stage.run({
      setting: {
        onModelSwitch: "keep",
        hostPrune: "on",
        history: "omits",
        loadOrder: 0,
        configured: [],
      },
      steps: [
        { ...prompt, agent: "plan", model: "opus", call: { ...call, worth: true } },
        {
          ...{ do: "compact", slot: 0, tail: 0, outcome: "done", goesOn: true, title: false },
          call: crashed,
        },
        { do: "undo", slot: 0, prompts: 2 },
        { ...prompt, agent: "build", model: "gpt", call: { ...call, full: true } },
      ],
    });
    expect(calls.map(({ opened }) => opened?.cause)).toEqual(["first", undefined]);
    expect(violations).toEqual([]);
  });

  test("I1: where a compaction that died took the epoch's start, the epoch goes on over a call of the host's own", async () => {
    const prompt = { do: "prompt", slot: 0, model: "opus", own: null, call } as const;
    const compact = { do: "compact", slot: 0, goesOn: false, title: false, call } as const;
    const unread = { ...call, fault: { kind: "error", atCall: 1 } } as const;
    const { calls, violations } = await stage.run({
      setting: {
        onModelSwitch: "keep",
        hostPrune: "on",
        ...plainHistory,
        loadOrder: 0,
        configured: [],
      },
      steps: [
        {
          ...{ ...prompt, agent: "build", model: "gpt" },
          call: { ...call, fault: { kind: "crash", atCall: 1, strikes: "before" } },
        },
        { ...compact, tail: 0, outcome: "done" },
        { ...prompt, agent: "plan" },
        { ...compact, tail: 1, outcome: "dies" },
        { ...prompt, agent: "build", call: unread },
        { ...prompt, agent: "build" },
      ],
    });
    expect(calls.map(({ opened }) => opened?.cause)).toEqual(["first", undefined, undefined]);
    expect(calls.map(({ live }) => live)).toEqual([false, true, false]);
    expect(violations).toEqual([]);
  });

  test("I14: a compaction is shown what a call decided that a crash took", async () => {
    const prompt = { do: "prompt", slot: 0, agent: "build", own: null, call } as const;
    const compact = { do: "compact", slot: 0, outcome: "done", title: true, call } as const;
    const { violations } = await stage.run({
      setting: {
        onModelSwitch: "keep",
        hostPrune: "on",
        history: "omits",
        loadOrder: 0,
        configured: [],
      },
      steps: [
        { ...prompt, model: "opus", call: { ...call, outcome: "sub" } },
        { ...prompt, model: "gpt" },
        {
          ...{ ...compact, tail: 3, goesOn: true },
          call: { ...call, fault: { kind: "crash", atCall: 16, strikes: "after" } },
        },
        { ...compact, tail: 0, goesOn: false },
      ],
    });
    expect(violations).toEqual([]);
  });

  test("I1: a reminder whose boundary was lost to another process is recorded at the next one", async () => {
    const prompt = { do: "prompt", slot: 0, model: "opus", own: null, call } as const;
    const unread = { ...call, fault: { kind: "error", atCall: 1 } } as const;
    const { calls, violations } = await stage.run({
      setting: {
        onModelSwitch: "keep",
        hostPrune: "on",
        ...plainHistory,
        loadOrder: 0,
        configured: [],
      },
      steps: [
        { ...prompt, agent: "plan" },
        { do: "other process" },
        { ...prompt, agent: "plan" },
        { do: "other process" },
        { ...prompt, agent: "build", call: unread },
        { ...prompt, agent: "build" },
      ],
    });
    expect(calls).toHaveLength(4);
    expect(violations).toEqual([]);
  });

  test("I1: a result that showed an instruction and was pruned unsent stays blanked in an epoch that begins then", async () => {
    const prompt = { do: "prompt", slot: 0, own: null, call } as const;
    const { calls, violations } = await stage.run({
      setting: {
        onModelSwitch: "fold",
        hostPrune: "on",
        ...plainHistory,
        loadOrder: 0,
        configured: [],
      },
      steps: [
        { ...prompt, agent: "build", model: "opus", call: { ...call, outcome: "deep" } },
        // It counts as a turn: the host's prune leaves the newest ones.
        { do: "compact", slot: 0, tail: 0, outcome: "fails", goesOn: false, title: false, call },
        { do: "prune", slot: 0 },
        { ...prompt, agent: "build", model: "gpt" },
        { ...prompt, agent: "build", model: "gpt" },
      ],
    });
    const told = calls.map(({ blocks }) => blocks.some(({ text }) => text.includes("[Old tool")));
    expect(told).toEqual([false, true, true]);
    expect(violations).toEqual([]);
  });
});

describe("two runs of one schedule", () => {
  const run = { seed: effort.seed, numRuns: effort.compared };
  const expectSame = ([left, right]: Pair) => expect(left).toBe(right);

  test(
    "I2: with and without restarts the same bytes are sent",
    () =>
      fc.assert(
        fc.asyncProperty(schedules, async (schedule) => {
          expectSame(await restarted(stage, schedule));
        }),
        run,
      ),
    TIMEOUT_MS,
  );

  test(
    "I2: restarts at any time change nothing but when news of the host's own blocks is told",
    () =>
      fc.assert(
        fc.asyncProperty(schedules, async (schedule) => {
          expectSame(await restartedAnywhere(stage, schedule));
        }),
        run,
      ),
    TIMEOUT_MS,
  );

  test(
    "I9: loads that finish in another order change nothing that is sent",
    () =>
      fc.assert(
        fc.asyncProperty(schedules, fc.integer({ min: 1 }), async (schedule, loadOrder) => {
          expectSame(await reordered(stage, schedule, loadOrder));
        }),
        run,
      ),
    TIMEOUT_MS,
  );

  test(
    "I12: a session sends what it would send alone",
    () =>
      fc.assert(
        fc.asyncProperty(schedules, fc.constantFrom<Slot>(0, 1), async (schedule, slot) => {
          expectSame(await alone(stage, schedule, slot));
        }),
        run,
      ),
    TIMEOUT_MS,
  );
});
