import fc from "fast-check";
import type { Violation } from "../checker.ts";
import { alone, type Pair, reordered, restarted } from "../comparisons.ts";
import { effort } from "../explore.ts";
import { type Schedule, Stage } from "../run.ts";
import { schedules } from "../schedules.ts";

/** Says of each invariant that is named what breaks it first, within as many schedules as are given. */
const [numRuns = "1", ...invariants] = process.argv.slice(2);
const stage = new Stage();
const known = new Map<Schedule, readonly Violation[]>();
const sample = fc.sample(schedules, { seed: effort.seed, numRuns: Number(numRuns) });

async function search(invariant: string): Promise<string> {
  for (const schedule of sample) {
    const what = await brokenBy(invariant, schedule);
    if (what !== null) return `${invariant} is broken: ${what}`;
  }
  return `${invariant} holds`;
}

async function brokenBy(invariant: string, schedule: Schedule): Promise<string | null> {
  switch (invariant) {
    case "I2":
      return differing(await restarted(stage, schedule));
    case "I9":
      return differing(await reordered(stage, schedule, 1));
    case "I12":
      return differing(await alone(stage, schedule, 0));
    default: {
      const violations = await findViolations(schedule);
      return violations.find((violation) => violation.invariant === invariant)?.what ?? null;
    }
  }
}

/** One run serves all invariants that it is held against. */
async function findViolations(schedule: Schedule): Promise<readonly Violation[]> {
  const violations = known.get(schedule) ?? (await stage.run(schedule)).violations;
  known.set(schedule, violations);
  return violations;
}

function differing([left, right]: Pair): string | null {
  return left === right ? null : "two runs have sent other bytes";
}

for (const invariant of invariants) console.log(await search(invariant));
stage.dispose();
