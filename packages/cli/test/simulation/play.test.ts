import { expect, test } from "bun:test";
import { measureParts } from "@session-runtime/opencode/history/measured-history";
import type { HistorySettings } from "@session-runtime/opencode/history/settings";
import { SyntheticWords } from "../../src/simulation/made-up.ts";
import { play } from "../../src/simulation/play.ts";
import { listTurns, readRecorded } from "../../src/simulation/recorded.ts";
import { model, read, recorded, step } from "./recorded.ts";

const history: HistorySettings = {
  ...{ rewrite: "worth", keepTokens: 4_000, budgetTokens: "auto", wayBack: "ctx_expand" },
  ...{ directory: "/project", measure: measureParts, keep: null },
};

/** A read of each number, one a step, a second apart. */
function reads(from: number, to: number, chars: number) {
  return Array.from({ length: to - from }, (_, at) =>
    step(from + at, { calls: [read(from + at, chars)] }),
  );
}

test("the same session gives the same figures", () => {
  const long = recorded(...reads(0, 40, 8_000), step(40, { needs: [3, 39] }));
  expect(play(long, model, history)).toEqual(play(long, model, history));
});

test("the host alone reads from the cache what it has sent, and writes the rest once", () => {
  const { bill, calls, peakTokens } = play(recorded(...reads(0, 3, 4_000), step(3)), model, null);
  expect(calls).toBe(4);
  const sizes = [0, 1, 2, 3].map((at) => model.frontTokens + 36 + at * 1_075);
  const written = sizes.at(-1) ?? 0;
  const readAgain = sizes.slice(0, 3).reduce((sum, size) => sum + size, 0);
  expect(bill / (1.25 * written + 0.1 * readAgain)).toBeCloseTo(1, 1);
  expect(peakTokens / written).toBeCloseTo(1, 1);
});

test("what a step needs and no longer sees is asked for again, once, before the step", () => {
  const long = recorded(...reads(0, 40, 8_000), step(40, { needs: [3] }));
  const { askedAgain, extraCalls, calls } = play(long, model, history);
  expect({ askedAgain, extraCalls, calls }).toEqual({ askedAgain: 1, extraCalls: 1, calls: 42 });
});

test("what a step needs and still sees is not asked for", () => {
  const short = recorded(...reads(0, 3, 4_000), step(3, { needs: [0, 1] }));
  expect(play(short, model, history).askedAgain).toBe(0);
});

test("rewrites keep a long session small, below what the host alone is billed", () => {
  const long = recorded(...reads(0, 60, 8_000), step(60));
  const [ours, stock] = [play(long, model, history), play(long, model, null)];
  expect(ours.rewrites.length).toBeGreaterThan(0);
  expect(ours.refused).toBe(0);
  expect(stock.compactions).toBeGreaterThan(0);
  expect(ours.bill).toBeLessThan(stock.bill);
});

test("a pause that outlasts the cache writes all again, and one that doesn't writes nothing", () => {
  const paused = (s: number) => play(recorded(...reads(0, 2, 4_000), step(s)), model, null);
  const [warm, cold] = [paused(299), paused(400)];
  expect(warm.coldCalls).toBe(0);
  expect(cold.coldCalls).toBe(1);
  expect(cold.bill - warm.bill).toBeGreaterThan(1.1 * model.frontTokens);
});

test("parallel calls are one step, and a turn that ends with a call goes on to an answer", () => {
  const session = recorded(step(0, { calls: [read(0, 400), read(1, 400), read(2, 400)] }));
  expect(play(session, model, null).calls).toBe(2);
});

test("a step that calls nothing ends its turn, and the rest of the record begins another", () => {
  const [first, second] = [step(0), step(1)];
  const turns = listTurns(recorded(first, second));
  expect(turns.map(({ steps }) => steps)).toEqual([[first], [second]]);
  expect(turns.map(({ chars }) => chars)).toEqual([100, 6]);
  expect(listTurns(recorded(step(0, { calls: [read(0, 40)] }), step(1)))).toHaveLength(1);
});

test("what a step needs is asked for in calls of five at most, each result once", () => {
  const needs = [0, 1, 2, 3, 4, 5, 6];
  const long = recorded(...reads(0, 60, 8_000), step(60, { needs }));
  const { askedAgain, extraCalls } = play(long, model, history);
  expect({ askedAgain, extraCalls }).toEqual({ askedAgain: 7, extraCalls: 2 });
});

test("a call's peak and mean are those of the calls that the record has, not of the host's compactions", () => {
  const seen: number[] = [];
  let held = 0;
  const long = recorded(...reads(0, 60, 8_000), step(60));
  const { peakTokens, meanTokens, calls, compactions, bill } = play(
    long,
    model,
    null,
    (session) => {
      seen.push(session.calls.at(-1)?.tokens ?? 0);
      held = session.calls.length;
    },
  );
  expect(compactions).toBeGreaterThan(0);
  expect(calls).toBe(61);
  expect(compactions).toBe(held - 61);
  expect(peakTokens).toBe(Math.max(...seen));
  expect(meanTokens).toBeCloseTo(seen.reduce((sum, size) => sum + size, 0) / 61, 6);
  // The least that its prompts can cost, and the most.
  expect(bill).toBeGreaterThan(0.1 * 61 * meanTokens);
  expect(bill).toBeLessThan(1.25 * 61 * meanTokens);
});

test("a step without a time is played when the one before it was", () => {
  const { s: _, ...timeless } = step(0);
  const pauses = (s: number) =>
    play(recorded(step(1_000), timeless, step(s)), model, null).coldCalls;
  expect([pauses(1_000), pauses(1_400)]).toEqual([0, 1]);
});

test("an empty record costs nothing", () => {
  const none = { ...recorded(), turns: [] };
  expect(play(none, model, null)).toMatchObject({
    bill: 0,
    calls: 0,
    peakTokens: 0,
    meanTokens: 0,
  });
});

test("a needed result holds two words for each step that needs it, within its size", () => {
  const session = recorded(
    step(0, { calls: [read(0, 2_000)] }),
    step(1, { chars: 200, needs: [0] }),
    step(2, { chars: 0, calls: [read(1, 40)], needs: [0] }),
  );
  const words = SyntheticWords.of(session);
  const text = words.findCall(0)?.text ?? "";
  expect(Math.abs(JSON.stringify(text).length - 2_000)).toBeLessThan(60);
  for (const [number, one] of session.turns[0]?.steps.entries() ?? []) {
    for (const { marks } of words.listNeeds(one)) {
      for (const mark of marks) {
        expect(text).toContain(mark);
        expect(words.createAnswer(one, number)).toContain(mark);
      }
    }
  }
});

test("records are read line by line, and one of another form is refused", () => {
  const line = JSON.stringify(recorded(step(0)));
  expect(readRecorded(`${line}\n\n  \n${line}\n`)).toHaveLength(2);
  expect(() => readRecorded('{"session":"x"}')).toThrow();
});
