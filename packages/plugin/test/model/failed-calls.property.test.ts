import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { effort } from "./explore.ts";
import { type Schedule, Stage } from "./run.ts";
import { schedules } from "./schedules.ts";
import type { CallOptions, Step } from "./steps.ts";

const TIMEOUT_MS = 3_600_000;
const stage = new Stage();
afterAll(() => stage.dispose());

const asFlood = (call: CallOptions): CallOptions =>
  call.outcome === "bash" ? { ...call, outcome: "flood" } : call;

/** The schedule with failed calls, whose texts are over the limit, in the place of successful ones. */
function flooded(schedule: Schedule): Schedule {
  const steps = schedule.steps.map((step): Step => {
    return step.do === "prompt" || step.do === "go on"
      ? { ...step, call: asFlood(step.call) }
      : step;
  });
  return { ...schedule, steps };
}

test(
  `I1, I2, I7, I17: every invariant holds where failed calls are bounded (SEED=${effort.seed})`,
  () =>
    fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        expect((await stage.run(flooded(schedule))).violations).toEqual([]);
      }),
      { seed: effort.seed, numRuns: effort.explored >> 2 },
    ),
  TIMEOUT_MS,
);
