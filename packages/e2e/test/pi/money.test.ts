import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, setDefaultTimeout } from "bun:test";
import { missingPi } from "../../src/pi/pi.ts";
import type { PiRun } from "../../src/pi/play.ts";
import {
  buildExtension,
  PI_SCENARIO_NAMES,
  type PiScenario,
  playPi,
} from "../../src/pi/scenario.ts";
import { billed } from "../../src/provider/record.ts";
import { rowTest } from "../long.ts";

// What is said to be saved against Pi alone, beside what Pi alone pays for the same session.

setDefaultTimeout(600_000);

/** In US dollars per million tokens, as the models of the tests have it. */
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

function paidUsd({ calls }: PiRun): number {
  return billed(calls).reduce(
    (sum, { usage }) =>
      sum +
      (usage.inputTokens * PRICE.input +
        usage.outputTokens * PRICE.output +
        usage.readTokens * PRICE.cacheRead +
        usage.writeTokens * PRICE.cacheWrite) /
        1_000_000,
    0,
  );
}

interface ComparedBills {
  readonly stockUsd: number;
  readonly paidUsd: number;
  readonly saidUsd: number;
}

/** Sums over all of the database's sessions: a fork is one of its own. */
async function compared(
  scenario: PiScenario,
  model: "plain" | "capable",
  extension: string,
): Promise<ComparedBills> {
  const stock = await playPi(scenario, model, []);
  let saidUsd = 0;
  const own = await playPi(scenario, model, [extension], async (_running, { database }) => {
    const open = new Database(database, { readonly: true });
    const row = open.query("SELECT sum(saved_nanos) AS saved FROM turn").get();
    open.close();
    saidUsd = (row as { readonly saved: number }).saved / 1_000_000_000;
  });
  return { stockUsd: paidUsd(stock), paidUsd: paidUsd(own), saidUsd };
}

/** What is said may differ from what is so by this share of stock Pi's bill. */
const TOLERANCE = 0.03;

describe.skipIf(missingPi !== null)(missingPi ?? "what is saved against Pi alone", () => {
  let extension: string;

  beforeAll(() => {
    extension = buildExtension();
  });

  for (const model of ["plain", "capable"] as const) {
    for (const scenario of PI_SCENARIO_NAMES) {
      const isShort =
        (model === "plain" && (scenario === "edits" || scenario === "restarts with edits")) ||
        (model === "capable" && scenario === "restarts with edits");
      const title = `Pi, ${scenario}, ${model} model: what is said to be saved is the difference of both bills, within 3% of stock Pi's`;
      rowTest(isShort ? "each-run" : "long-runs", title, async () => {
        const { stockUsd, paidUsd: paid, saidUsd } = await compared(scenario, model, extension);
        expect(Math.abs(saidUsd - (stockUsd - paid)) / stockUsd).toBeLessThan(TOLERANCE);
      });
    }
  }
});
