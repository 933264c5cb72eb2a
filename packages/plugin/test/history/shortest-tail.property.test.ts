import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { planWarm } from "../../src/history/plan.ts";
import { resolveTailBounds } from "../../src/history/settings.ts";
import { learnTail } from "../../src/history/tail.ts";
import { output, ran, rates, read, SimulatedSession, said, settings } from "./simulation.ts";

setDefaultTimeout(600_000);

const WINDOW = 168_000;

const step = fc.record({
  what: fc.constantFrom("prompt" as const, "read" as const, "run" as const, "say" as const),
  file: fc.integer({ min: 0, max: 9 }),
  chars: fc.constantFrom(400, 4_000, 16_000, 48_000),
});

/** Sessions of any shape, at each of whose calls something may be worth its price. */
const sessions = fc.array(step, { minLength: 30, maxLength: 60, size: "max" });

test("a look with the shortest tail misses no plan of the tail that was learnt", () => {
  let plans = 0;
  fc.assert(
    fc.property(sessions, (steps) => {
      const session = new SimulatedSession(WINDOW);
      session.prompt("Begin.");
      for (const [at, { what, file, chars }] of steps.entries()) {
        if (what === "prompt") session.prompt(`Prompt ${at}`);
        if (what === "say") session.call(said("word ".repeat(chars / 100)));
        if (what === "read") session.call(read(`f${file}`, output(`f${file}`, chars)));
        if (what === "run") session.call(ran(`run ${at}`, output(`run ${at}`, chars)));
        const view = session.view();
        const tail = learnTail(view, resolveTailBounds(settings, WINDOW), rates, settings.measure);
        if (tail.debt > 0 || tail.stillness > 0 || tail.asking !== 1) continue;
        const plan = planWarm(view, settings);
        if (plan) plans += 1;
        expect(plan).toEqual(planWarm(view, { ...settings, keepTokens: tail.keepTokens }));
      }
    }),
    { numRuns: 40, seed: 20261123 },
  );
  expect(plans).toBeGreaterThan(25);
});
