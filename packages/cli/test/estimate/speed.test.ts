import { expect, setDefaultTimeout, test } from "bun:test";
import { timesAsLong } from "../../../plugin/test/processor-time.ts";
import { estimateSession, type PastSession } from "../../src/estimate/session-estimate.ts";
import { madeModel, madeSession } from "../data/host-database.ts";

setDefaultTimeout(600_000);

/** Of the longer session. What 200 sessions take: `npm run bench -- estimate`. */
const CALLS = 300;
/** More than linear work takes: a long session is folded, too, which a short one has no need of. */
const MOST = 12;

function past(calls: number): PastSession {
  const { rates, frontTokens, windowTokens, usableTokens } = madeModel;
  const window = { tokens: windowTokens, usableTokens };
  return {
    ...{ sessionId: "ses_1" as PastSession["sessionId"], title: "", directory: "/" },
    paid: { tokens: 1_000_000, usd: null, calls, peakTokens: 100_000, model: null },
    model: { name: "made", rates, window, inputUsd: null },
    scale: { frontTokens, perEstimated: 1 },
    skeleton: madeSession("made", calls),
  };
}

test("a session of 300 calls is estimated in at most twelve times the time of one of 75, with the same figures each time", async () => {
  const bills = new Set<number>();
  const [long, short] = [past(CALLS), past(CALLS / 4)];
  const times = await timesAsLong(
    () => bills.add(estimateSession(long).withPluginTokens.likely),
    () => estimateSession(short),
    MOST,
  );
  expect(bills.size).toBe(1);
  expect(times).toBeLessThan(MOST);
});
