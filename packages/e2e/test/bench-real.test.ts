import { expect, setDefaultTimeout, test } from "bun:test";
import { play } from "../../plugin/src/simulation/play.ts";
import type { RecordedSession, RecordedStep } from "../../plugin/src/simulation/recorded.ts";
import { usualHistory } from "../../plugin/src/simulation/usual.ts";
import { OUR_SIDE } from "../src/bench/history/sides.ts";
import { replay, SILENT } from "../src/bench/real/replay.ts";
import { measureReal } from "../src/bench/real/section.ts";
import { MODELS, ROOMY_TOKENS } from "../src/host/models.ts";
import { progressOn } from "../src/terminal/progress.ts";

setDefaultTimeout(180_000);

const steps: readonly RecordedStep[] = Array.from({ length: 24 }, (_, at) => ({
  s: at < 20 ? at * 10 : 1_000 + at * 10,
  chars: 120,
  calls: [
    { tool: at % 2 ? "bash" : "read", target: at, chars: 80, result: at, resultChars: 9_000 },
  ],
  needs: at === 22 ? [1] : at === 12 ? [11] : [],
}));
const last: RecordedStep = { s: 1_300, chars: 200, calls: [], needs: [] };
const recorded: RecordedSession = {
  ...{ session: "made", model: "none", harness: "none" },
  turns: [{ chars: 300, steps: [...steps, last] }],
};

test("a recorded session's replay on the host and its simulation have the same calls and nearly the same bill", async () => {
  const shared = { model: MODELS.anthropic, windowTokens: ROOMY_TOKENS, ...SILENT };
  const [stock, ours] = await Promise.all([
    replay(recorded, { ...shared, plugin: [] }),
    replay(recorded, { ...shared, plugin: OUR_SIDE.plugin }),
  ]);
  const usual = { windowTokens: ROOMY_TOKENS, usableTokens: ROOMY_TOKENS - 4_000, ttlMs: 300_000 };
  const rates = { read: 0.1, write: 1.25, lookBackBlocks: 20 };
  const alone = play(recorded, { ...usual, rates, frontTokens: 8_200 }, null);
  const folded = play(recorded, { ...usual, rates, frontTokens: 8_650 }, usualHistory());
  const bill = ({ calls }: typeof stock) => calls.reduce((sum, call) => sum + call.bill, 0);
  const main = ({ calls }: typeof stock) => calls.filter(({ kind }) => kind === "main").length;
  expect([main(stock), main(ours)]).toEqual([alone.calls, folded.calls]);
  expect([stock.askedAgain, ours.askedAgain]).toEqual([alone.askedAgain, folded.askedAgain]);
  expect(ours.askedAgain).toBeGreaterThan(0);
  // The pause of the record killed the cache of both.
  expect([alone.coldCalls, folded.coldCalls]).toEqual([1, 1]);
  expect(Math.abs(alone.bill / bill(stock) - 1)).toBeLessThan(0.02);
  expect(Math.abs(folded.bill / bill(ours) / (alone.bill / bill(stock)) - 1)).toBeLessThan(0.02);
});

test("where there are no records nothing is measured", async () => {
  const request = { sections: [], details: null, peers: [], recorded: [] } as const;
  const measured = await measureReal(progressOn(process.stdout), {
    ...request,
    traces: "/nowhere",
  });
  expect(measured).toBeNull();
});
