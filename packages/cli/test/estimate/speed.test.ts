import { expect, setDefaultTimeout, test } from "bun:test";
import { leastProcessorMs } from "../../../plugin/test/processor-time.ts";
import { estimateSession, type PastSession } from "../../src/estimate/session-estimate.ts";
import { madeModel, madeSession } from "../data/host-database.ts";

setDefaultTimeout(600_000);

const SESSIONS = 20;
const CALLS = 150;
/** Of the processor; some five times what it takes. 200 sessions of twice the length: `npm run bench -- estimate`. */
const MAX_MS = 10_000;

function past(number: number): PastSession {
  const { rates, frontTokens, windowTokens, usableTokens } = madeModel;
  const window = { tokens: windowTokens, usableTokens };
  return {
    ...{ sessionId: `ses_${number}` as PastSession["sessionId"], title: "", directory: "/" },
    paid: { tokens: 1_000_000, usd: null, calls: CALLS, peakTokens: 100_000, model: null },
    model: { name: "made", rates, window, inputUsd: null },
    scale: { frontTokens, perEstimated: 1 },
    skeleton: madeSession(`made ${number}`, CALLS),
  };
}

test("20 sessions of 150 calls take seconds of the processor, and the same session has the same figures", async () => {
  const bills = new Set<number>();
  const tookMs = await leastProcessorMs(MAX_MS, () => {
    for (let number = 0; number < SESSIONS; number += 1) {
      bills.add(estimateSession(past(number)).withPluginTokens.likely);
    }
  });
  expect(bills.size).toBe(1);
  expect(tookMs).toBeLessThan(MAX_MS);
});
