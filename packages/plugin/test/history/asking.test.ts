import { expect, test } from "bun:test";
import { planWarm } from "../../src/history/plan.ts";
import { estimateAskingCost, splitIntoPieces, surveyHistory } from "../../src/history/survey.ts";
import { output, ran, read, SimulatedSession, said, settings } from "./simulation.ts";

const WINDOW = 168_000;
const FOR_EVER = Number.POSITIVE_INFINITY;

/** One result, then so many calls that only talk. */
function after(calls: number, chars: number, usableTokens = WINDOW): SimulatedSession {
  const session = new SimulatedSession(usableTokens, null);
  session.prompt("Look.");
  session.call(ran("make", output("make", chars)));
  for (let call = 0; call < calls; call++) session.call(said(`Call ${call}.`));
  return session;
}

/** Of a rewrite that takes all that may go by itself, or all there is in a fold. */
function costIn(
  session: SimulatedSession,
  by: "drop" | "fold",
  { saves = 0, keptCalls = FOR_EVER } = {},
): number {
  const survey = surveyHistory(session.view(), settings, 0);
  return estimateAskingCost(
    survey,
    splitIntoPieces(survey, () => (by === "fold" ? 1 : null)),
    { from: 0, rent: 0, price: 0, saves },
    keptCalls,
  );
}

test("asking again is less likely the older a result is, and likelier the larger", () => {
  const [fresh, old] = [costIn(after(2, 4_000), "drop"), costIn(after(40, 4_000), "drop")];
  expect(fresh).toBeGreaterThan(3 * old);
  // Eight times the tokens: more than eight times as likely a cost.
  const large = costIn(after(2, 32_000), "drop");
  expect(large).toBeGreaterThan(8 * fresh);
});

test("what a command printed is less likely to be used again than a file of its size", () => {
  const session = new SimulatedSession(WINDOW, null);
  session.prompt("Look.");
  session.call(read("make", output("make", 4_000)));
  for (let call = 0; call < 2; call++) session.call(said(`Call ${call}.`));
  expect(costIn(after(2, 4_000), "drop")).toBeLessThan(0.5 * costIn(session, "drop"));
});

test("a result that goes in a fold counts as one that is dropped does", () => {
  const session = after(2, 4_000);
  expect(costIn(session, "fold")).toBeCloseTo(costIn(session, "drop"), -2);
});

test("only what goes counts: from the place of the rewrite on", () => {
  const survey = surveyHistory(after(2, 4_000).view(), settings, 0);
  const pieces = splitIntoPieces(survey, () => null);
  const place = pieces.findIndex(({ saves }) => saves > 0);
  const costFrom = (from: number) =>
    estimateAskingCost(survey, pieces, { from, rent: 0, price: 0, saves: 0 }, FOR_EVER);
  expect(costFrom(place)).toBe(costFrom(0));
  expect([costFrom(0) > 0, costFrom(place + 1)]).toEqual([true, 0]);
});

test("asking takes a call on the context that is left", () => {
  const session = after(2, 4_000);
  expect(costIn(session, "drop", { saves: 5_000 })).toBeLessThan(costIn(session, "drop"));
});

test("what is asked for after it would have gone anyway does not count, and of the old most is asked for late", () => {
  const shareIn = (calls: number, keptCalls: number) =>
    costIn(after(calls, 4_000), "drop", { keptCalls }) / costIn(after(calls, 4_000), "drop");
  // A result that came one call ago fades over 9.5 calls.
  expect(shareIn(2, 10.5)).toBeCloseTo(0.5);
  expect(shareIn(2, 0)).toBe(0);
  expect(shareIn(40, 10.5)).toBeCloseTo(10.5 / (10.5 + 39 + 9.5));
});

test("what is repeated, and what only a stub stands for, costs nothing to let go", () => {
  const session = new SimulatedSession(WINDOW, null);
  session.prompt("Look.");
  const file = () => read("a.ts", output("a", 8_000));
  session.call(file());
  session.call(file());
  const twice = costIn(session, "drop");
  expect(twice).toBe(0);
  session.call(said("I see."));
  expect(costIn(session, "drop")).toBeGreaterThan(0);
  expect(costIn(after(2, 120), "fold")).toBe(0);
});

test("a rewrite waits until calls have paid for asking again, too", () => {
  // More than the 20,000 tokens below which nothing is rewritten.
  const callsUntil = (chars: number) => {
    const session = after(0, chars);
    for (let call = 1; call < 200; call++) {
      session.call(said("On."));
      if (planWarm(session.view(), { ...settings, keepTokens: 0 })) return call;
    }
    return Number.POSITIVE_INFINITY;
  };
  // Its price alone is paid at the first call: nothing of size stands after it.
  expect(callsUntil(100_000)).toBeGreaterThan(5);
  expect(callsUntil(100_000)).toBeLessThan(40);
});

test("a rewrite waits less for it in a small window, from where what is kept would go soon", () => {
  const callsUntil = (usableTokens: number) => {
    const session = after(0, 100_000, usableTokens);
    for (let call = 1; call < 200; call++) {
      session.call(said("On."));
      if (planWarm(session.view(), { ...settings, keepTokens: 0 })) return call;
    }
    return Number.POSITIVE_INFINITY;
  };
  const calls = [1_000_000, 168_000, 100_000, 60_000].map(callsUntil);
  expect(calls).toEqual([...calls].sort((one, other) => other - one));
  expect(new Set(calls).size).toBe(4);
});
