import { describe, expect, test } from "bun:test";
import { measureParts } from "../../src/history/measured-history.ts";
import { isEndedCall } from "../../src/history/results.ts";
import { resolveBudget, resolveTailBounds } from "../../src/history/settings.ts";
import { type DropReason, renderStub } from "../../src/history/stub.ts";
import {
  computeDebt,
  estimateKeptCalls,
  findNewestStart,
  learnTail,
} from "../../src/history/tail.ts";
import type { HostMessage, HostPart } from "../../src/ledger/message.ts";
import { deriveRef } from "../../src/ledger/ref.ts";
import type { CallSpace } from "../../src/ledger/space.ts";
import type { LoosePart } from "../ledger/history.ts";
import { answers, called } from "./calls.ts";
import { output, rates, settings } from "./simulation.ts";

const bounds = { start: 4_000, least: 2_000, most: 20_000 };
const RESULT_CHARS = 8_000;
const space: CallSpace = { estimatedTokens: 40_000, usableTokens: null, rates };

/** What results look like that are not sent any more. */
const gone = (message: HostMessage, why: DropReason): HostMessage => ({
  ...message,
  parts: message.parts.map((part) =>
    isEndedCall(part)
      ? ({
          ...part,
          state: { ...part.state, output: renderStub(part, "", why, settings) },
        } as HostPart)
      : part,
  ),
});
/** All have left by their age. */
const aged = (messages: readonly HostMessage[]) => ({
  messages,
  projected: messages.map((message) => gone(message, "spent")),
});

const learn = (...calls: readonly LoosePart[]) =>
  learnTail(aged(answers(...calls)), bounds, rates, measureParts);
const run = (name: string) => called("bash", { command: name }, output(name, RESULT_CHARS));
const word = { type: "text", text: "I go on." } as LoosePart;
const runs = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => run(`step ${from + index}`));

describe("LS5: the protected tail", () => {
  test("begins at a twelfth of the window, within its bounds, and may take a quarter of it", () => {
    expect(resolveTailBounds(settings, 56_000)).toEqual({ start: 6_000, least: 300, most: 14_000 });
    expect(resolveTailBounds(settings, 168_000)).toEqual({
      start: 14_000,
      least: 300,
      most: 42_000,
    });
    expect(resolveTailBounds(settings, 968_000)).toEqual({
      start: 16_000,
      least: 300,
      most: 242_000,
    });
    expect(resolveTailBounds(settings, null).start).toBe(16_000);
    const fixed = { start: 5_000, least: 5_000, most: 5_000 };
    expect(resolveTailBounds({ ...settings, keepTokens: 5_000 }, 168_000)).toEqual(fixed);
  });

  test("the folded history may take a seventh of the window, and no more than 8,000", () => {
    expect(resolveBudget(settings, 7_000)).toBe(1_000);
    expect(resolveBudget(settings, 55_996)).toBe(7_999);
    expect(resolveBudget(settings, 968_000)).toBe(8_000);
    expect(resolveBudget(settings, null)).toBe(8_000);
    expect(resolveBudget({ ...settings, budgetTokens: 3_000 }, 56_000)).toBe(3_000);
  });

  test("begins to shrink with the first call, as long as nothing is asked for again", () => {
    expect(learn()).toEqual({
      ...{ keepTokens: 4_000, regret: 0, spared: 0 },
      ...{ debt: 0, asking: 1, stillness: 0, beyondTokens: 0, growthTokens: 0 },
    });
    const few = learn(...runs(3)).keepTokens;
    expect(few).toBeLessThan(4_000);
    expect(few).toBeGreaterThan(2_400);
    expect(learn(...runs(30)).keepTokens).toBe(2_000);
  });

  const quiet = learn(...runs(7)).keepTokens;
  // The call that asks again finds the tail as six quiet calls have left it, and grows it by half.
  const GROWN = 1.5 * bounds.least;

  test("grows when what stood beyond it is asked for again, unchanged", () => {
    const once = learn(...runs(6), run("step 0")).keepTokens;
    expect(once).toBe(GROWN);
    const thrice = learn(...runs(6), run("step 0"), run("step 1"), run("step 2")).keepTokens;
    expect(thrice).toBeGreaterThan(2.2 * once);
  });

  test("does not grow for what still stood in it, or has another answer now", () => {
    expect(learn(...runs(6), run("step 5")).keepTokens).toBe(quiet);
    const changed = called("bash", { command: "step 0" }, "something else");
    expect(learn(...runs(6), changed).keepTokens).toBe(quiet);
  });

  test("learns nothing where its size is set", () => {
    const set = { start: 5_000, least: 5_000, most: 5_000 };
    const talk = Array.from({ length: 40 }, () => ({ type: "text", text: "On." }) as LoosePart);
    const messages = answers(...runs(12), run("step 0"), ...talk);
    expect(learnTail(aged(messages), set, rates, measureParts)).toEqual({
      ...{ keepTokens: 5_000, regret: 0, spared: 0 },
      ...{ debt: 0, asking: 1, stillness: 0, beyondTokens: 0 },
      growthTokens: expect.any(Number),
    });
  });

  test("looks back at 200,000 tokens, however small the window", () => {
    // A result takes some 2,000 tokens.
    const regretAfter = (calls: number) =>
      learn(...runs(1), ...runs(calls, 100), run("step 0")).regret;
    expect(regretAfter(95)).toBeGreaterThan(0);
    expect(regretAfter(102)).toBe(0);
    const messages = answers(...runs(5));
    const sizes = (tokens: number) => findNewestStart(messages, tokens, () => 10);
    expect([0, 1, 10, 11, 50, 51].map(sizes)).toEqual([5, 4, 4, 3, 0, 0]);
  });

  test("measures each message that it looks at once", () => {
    const measured: HostMessage[] = [];
    const messages = answers(...runs(5));
    learnTail(aged(messages), bounds, rates, (message) => {
      measured.push(message);
      return measureParts(message);
    });
    expect(measured).toEqual(messages.toReversed());
  });

  test("counts what is expanded by its ref", () => {
    const expand = called("ctx_expand", { ref: deriveRef("r", "m0.0") }, "shown");
    expect(learn(...runs(6), expand).keepTokens).toBe(GROWN);
    const unknown = called("ctx_expand", { ref: "r:000000" }, "not found");
    expect(learn(...runs(6), unknown).keepTokens).toBe(quiet);
  });

  test("counts what was spared by the last calls, not all that ever was", () => {
    const { spared, beyondTokens } = learn(...runs(60));
    expect(spared).toBeGreaterThan(8 * rates.read * beyondTokens);
    expect(spared).toBeLessThan(16 * rates.read * beyondTokens);
  });

  test("never grows beyond its most, and shrinks again after regret", () => {
    const near = { start: 16_000, least: 16_000, most: 20_000 };
    const grown = learnTail(aged(answers(...runs(10), run("step 0"))), near, rates, measureParts);
    expect(grown.keepTokens).toBe(near.most);
    const asked = [...runs(6), run("step 0")];
    const after = (calls: number) => learn(...asked, ...runs(calls, 100)).keepTokens;
    expect(after(1)).toBeLessThan(after(0));
    expect(after(12)).toBeLessThan(after(1));
    const short = Array.from({ length: 400 }, (_, n) => called("x", { n }, "a short answer"));
    expect(learn(...short).keepTokens).toBe(2_000);
  });

  test("is in debt as long as asking again costs more than sparing brings", () => {
    expect(learn(...runs(12)).debt).toBe(0);
    const asked = learn(...runs(6), run("step 0"), run("step 1")).debt;
    expect(asked).toBeGreaterThan(learn(...runs(6), run("step 0")).debt);
    expect(learn(...runs(6), run("step 0"), ...runs(30, 100)).debt).toBe(0);
  });

  test("learns how much of what went is asked for again: less than usual where nothing is, more where all is", () => {
    expect(learn().asking).toBe(1);
    // Four results of 2,000 tokens, a seventh of which is usually asked for again, and none was.
    expect(learn(...runs(4)).asking).toBeCloseTo(4_800 / (4_800 + 0.15 * 8_000));
    const few = learn(...runs(4)).asking;
    expect(few).toBeLessThan(1);
    expect(learn(...runs(12)).asking).toBeLessThan(few);
    expect(learn(...runs(6), ...runs(6)).asking).toBeGreaterThan(1);
    const standing = learnTail(
      { messages: answers(...runs(12)), projected: answers(...runs(12)) },
      ...([bounds, rates, measureParts] as const),
    );
    expect(standing.asking).toBe(1);
  });

  test("owes what asking again is likely to cost, by what the session has shown", () => {
    const busy = learn(...runs(12));
    const owed = computeDebt(busy, { saves: 10_000, asking: 4_000, space });
    expect(owed).toBeCloseTo(4_000 * busy.asking);
  });

  describe("what is kept stays", () => {
    const callsIn = (estimatedTokens: number, asking = 1) =>
      estimateKeptCalls(
        { growthTokens: 2_000, asking },
        { ...space, estimatedTokens, usableTokens: 100_000 },
      );

    test("half of the calls that the window has room for, up to where a rewrite is likely soon", () => {
      expect([0, 20_000, 58_000].map((tokens) => callsIn(tokens))).toEqual([15, 10, 0.5]);
      // As a switch to a smaller model leaves it.
      expect([callsIn(60_000), callsIn(110_000), callsIn(110_000, 10)]).toEqual([0, 0, 0]);
      expect(estimateKeptCalls({ growthTokens: 2_000, asking: 1 }, space)).toBe(
        Number.POSITIVE_INFINITY,
      );
    });

    test("longer, as it were, where the session asks more than usual, and no less where it asks less", () => {
      expect([0.5, 1, 1.5, 3].map((asking) => callsIn(20_000, asking))).toEqual([10, 10, 22.5, 90]);
    });

    test("by what a call brings in the mean, with a fixed tail, too", () => {
      const { growthTokens } = learn(...runs(12));
      expect(growthTokens).toBeGreaterThan(2_000);
      expect(growthTokens).toBeLessThan(2_200);
      expect(
        learn(...runs(12), ...Array.from({ length: 12 }, () => word)).growthTokens,
      ).toBeLessThan(0.6 * growthTokens);
      const set = { start: 5_000, least: 5_000, most: 5_000 };
      const fixed = learnTail(aged(answers(...runs(12))), set, rates, measureParts);
      expect(fixed.growthTokens).toBe(growthTokens);
    });
  });

  test("owes more where calls look up nothing new, and only for results that could be asked for", () => {
    const talk = (count: number) => Array.from({ length: count }, () => word);
    const busy = learn(...runs(12));
    expect(busy.stillness).toBe(0);
    expect(computeDebt(busy, { saves: 10_000, asking: 0, space })).toBe(0);
    const still = learn(...runs(12), ...talk(30));
    expect(still.stillness).toBeGreaterThan(0.9);
    expect(still.beyondTokens).toBeGreaterThan(20_000);
    const owed = computeDebt(still, { saves: 1_000, asking: 0, space });
    expect(owed).toBe(8 * still.stillness * rates.write * 1_000);
    expect(computeDebt(still, { saves: 1_000_000, asking: 0, space })).toBeCloseTo(
      (owed / 1_000) * still.beyondTokens,
    );
    // Results that are asked for again are nothing new; another one is.
    expect(learn(...runs(12), ...runs(12), ...runs(12)).stillness).toBeGreaterThan(0.5);
    expect(learn(...runs(12), ...talk(30), ...runs(4, 100)).stillness).toBe(0);
    expect(computeDebt(learn(...talk(40)), { saves: 10_000, asking: 0, space })).toBe(0);
  });

  describe("a call that comes though its result stands", () => {
    const same = () => called("grep", { pattern: "owl" }, output("grep", RESULT_CHARS));
    const calls = answers(same(), ...runs(6), same(), ...runs(6, 6), same());
    const [first, second, third] = [0, 7, 14];
    const learnt = (whys: Readonly<Record<number, DropReason | "folded">>) =>
      learnTail(
        {
          messages: calls,
          projected: calls.flatMap((message, index) => {
            const why = whys[index];
            if (why === "folded") return [];
            return [why ? gone(message, why) : message];
          }),
        },
        bounds,
        rates,
        measureParts,
      );

    test("is a habit, and no regret", () => {
      expect(learnt({}).debt).toBe(0);
      expect(learnt({ [first]: "repeated", [second]: "repeated" }).debt).toBe(0);
      expect(learnt({}).keepTokens).toBe(2_000);
    });

    test("takes back what looked like regret, whichever came first", () => {
      const dropped = learnt({ [first]: "spent", [second]: "spent" });
      expect(dropped.debt).toBeGreaterThan(0);
      expect(learnt({ [first]: "spent", [second]: "repeated" }).debt).toBe(0);
      expect(learnt({ [first]: "repeated", [second]: "spent" }).debt).toBe(0);
    });

    test("is regret where it was folded before, and unknown where both are", () => {
      expect(learnt({ [first]: "folded", [second]: "repeated" }).debt).toBe(0);
      const again = learnt({ [first]: "folded", [second]: "spent" });
      expect(again.debt).toBe(learnt({ [first]: "spent", [second]: "spent" }).debt);
      const unknown = learnt({ [first]: "folded", [second]: "folded", [third]: "folded" });
      expect(unknown.debt).toBe(0);
    });
  });

  test("a fixed one learns nothing", () => {
    const fixed = { start: 5_000, least: 5_000, most: 5_000 };
    const calls = answers(...runs(6), run("step 0"));
    expect(
      learnTail({ messages: calls, projected: calls }, fixed, rates, measureParts).keepTokens,
    ).toBe(5_000);
  });
});
