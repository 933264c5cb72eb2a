import { expect, setDefaultTimeout, test } from "bun:test";
import { billLimit, worstSession } from "../src/bench/bill.ts";
import { PLUGIN } from "../src/demo/play.ts";
import { rejections } from "../src/provider/record.ts";
import { SCENARIOS } from "../src/scenario/catalogue.ts";
import { runScenario, STOCK_RUN } from "../src/scenario/run.ts";

setDefaultTimeout(600_000);

test.each(Object.values(SCENARIOS))(
  "no session of the scenario $name pays more than its limit above the ideal",
  async (scenario) => {
    const run = await runScenario(scenario, { ...STOCK_RUN, plugin: [PLUGIN] });
    expect(rejections(run.calls)).toEqual([]);
    expect(worstSession(run)).toBeLessThanOrEqual(billLimit(scenario));
  },
);
