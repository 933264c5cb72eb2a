import { expect, setDefaultTimeout, test } from "bun:test";
import { rejections } from "../src/provider/record.ts";
import { SCENARIOS, type ScenarioName } from "../src/scenario/catalogue.ts";
import { runScenario, STOCK_RUN } from "../src/scenario/run.ts";

setDefaultTimeout(600_000);

/** Bill over ideal bill of the host without a plugin: the figures that the plugin is held against. */
const FIGURES: readonly [ScenarioName, number, number][] = [
  ["steady", 0.99, 1.001],
  ["edits", 1.5, 1.65],
  ["restarts", 1.75, 2.2],
  ["plan", 1.03, 1.2],
  ["news", 1.8, 2.15],
  ["switches", 1.35, 1.6],
  ["breaks", 0.9, 1.15],
  ["day", 1.3, 1.6],
];

test.each(FIGURES)(
  "the stock host pays in the scenario %s between %f and %f of the ideal",
  async (name, low, high) => {
    const run = await runScenario(SCENARIOS[name], STOCK_RUN);
    expect(rejections(run.calls)).toEqual([]);
    const ratio = run.bill / run.idealWithRewrites;
    console.log(
      `${name}: ${run.bill.toFixed(0)} of ${run.idealWithRewrites.toFixed(0)}, ${ratio.toFixed(3)}`,
    );
    expect(ratio).toBeGreaterThan(low);
    expect(ratio).toBeLessThan(high);
  },
);
