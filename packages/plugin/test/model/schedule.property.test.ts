import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Invariant } from "./checker.ts";
import { alone, type Pair, reordered, restarted, restartedAnywhere } from "./comparisons.ts";
import { effort, explore, shrunk } from "./explore.ts";
import { Stage } from "./run.ts";
import { schedules } from "./schedules.ts";
import type { Slot } from "./steps.ts";

const TIMEOUT_MS = 3_600_000;
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
    ["I13", "no update is in the host's own rows"],
    ["I15", "a failure leaves the host's own request, and where nothing fails none is reported"],
    ["I18", "an edit whose place is gone changes nothing"],
    ["I19", "the user's message comes first, none is empty, and each tool call keeps its result"],
    ["I20", "a pass that decides nothing writes nothing before the send"],
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
    "no invariant is broken that has no test of its own here",
    async () => {
      const { findings } = await explored;
      const named = new Set(invariants.map(([invariant]) => invariant));
      expect([...findings.keys()].filter((invariant) => !named.has(invariant))).toEqual([]);
    },
    TIMEOUT_MS,
  );

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
