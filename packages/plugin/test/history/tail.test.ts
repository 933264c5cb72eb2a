import { describe, expect, test } from "bun:test";
import { plainMeasure } from "../../src/history/measure.ts";
import { isEndedCall } from "../../src/history/results.ts";
import { budgetOf, tailBounds } from "../../src/history/settings.ts";
import { type Gone, stubOf } from "../../src/history/stub.ts";
import { learntTail, owedFor, startOfNewest } from "../../src/history/tail.ts";
import type { HostMessage, HostPart } from "../../src/projection/message.ts";
import { refOf } from "../../src/projection/ref.ts";
import type { Space } from "../../src/projection/space.ts";
import type { LoosePart } from "../projection/history.ts";
import { answers, called } from "./calls.ts";
import { output, rates, settings } from "./simulation.ts";

const bounds = { start: 4_000, least: 2_000, most: 20_000 };
const RESULT_CHARS = 8_000;
const space: Space = { estimatedTokens: 40_000, usableTokens: null, rates };

/** What results look like that are not sent any more. */
const gone = (message: HostMessage, why: Gone): HostMessage => ({
  ...message,
  parts: message.parts.map((part) =>
    isEndedCall(part)
      ? ({ ...part, state: { ...part.state, output: stubOf(part, "", why, settings) } } as HostPart)
      : part,
  ),
});
/** All have left by their age. */
const aged = (messages: readonly HostMessage[]) => ({
  messages,
  projected: messages.map((message) => gone(message, "spent")),
});

const learn = (...calls: readonly LoosePart[]) =>
  learntTail(aged(answers(...calls)), bounds, rates, plainMeasure);
const run = (name: string) => called("bash", { command: name }, output(name, RESULT_CHARS));
const word = { type: "text", text: "I go on." } as LoosePart;
const runs = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => run(`step ${from + index}`));

describe("LS5: the protected tail", () => {
  test("begins at a twelfth of the window, within its bounds, and may take a quarter of it", () => {
    expect(tailBounds(settings, 56_000)).toEqual({ start: 6_000, least: 300, most: 14_000 });
    expect(tailBounds(settings, 168_000)).toEqual({ start: 14_000, least: 300, most: 42_000 });
    expect(tailBounds(settings, 968_000)).toEqual({ start: 16_000, least: 300, most: 242_000 });
    expect(tailBounds(settings, null).start).toBe(16_000);
    const fixed = { start: 5_000, least: 5_000, most: 5_000 };
    expect(tailBounds({ ...settings, keepTokens: 5_000 }, 168_000)).toEqual(fixed);
  });

  test("the folded history may take a seventh of the window, and no more than 1,500", () => {
    expect(budgetOf(settings, 7_000)).toBe(1_000);
    expect(budgetOf(settings, 968_000)).toBe(1_500);
    expect(budgetOf(settings, null)).toBe(1_500);
    expect(budgetOf({ ...settings, budgetTokens: 3_000 }, 56_000)).toBe(3_000);
  });

  test("begins to shrink with the first call, as long as nothing is asked for again", () => {
    expect(learn()).toEqual({
      ...{ keepTokens: 4_000, regret: 0, spared: 0 },
      ...{ debt: 0, asking: 1, stillness: 0, beyondTokens: 0 },
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
    expect(learntTail(aged(messages), set, rates, plainMeasure)).toEqual({
      ...{ keepTokens: 5_000, regret: 0, spared: 0 },
      ...{ debt: 0, asking: 1, stillness: 0, beyondTokens: 0 },
    });
  });

  test("looks back at no more than three of the longest tails", () => {
    // A result takes some 2,000 tokens, and the longest tail is 20,000.
    const regretAfter = (calls: number) =>
      learn(...runs(1), ...runs(calls, 100), run("step 0")).regret;
    expect(regretAfter(20)).toBeGreaterThan(0);
    expect(regretAfter(32)).toBe(0);
    const messages = answers(...runs(5));
    const sizes = (tokens: number) => startOfNewest(messages, tokens, () => 10);
    expect([0, 1, 10, 11, 50, 51].map(sizes)).toEqual([5, 4, 4, 3, 0, 0]);
  });

  test("measures each message that it looks at once", () => {
    const measured: HostMessage[] = [];
    const messages = answers(...runs(5));
    learntTail(aged(messages), bounds, rates, (message) => {
      measured.push(message);
      return plainMeasure(message);
    });
    expect(measured).toEqual(messages.toReversed());
  });

  test("counts what is expanded by its ref", () => {
    const expand = called("ctx_expand", { ref: refOf("r", "m0.0") }, "shown");
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
    const grown = learntTail(aged(answers(...runs(10), run("step 0"))), near, rates, plainMeasure);
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
    const standing = learntTail(
      { messages: answers(...runs(12)), projected: answers(...runs(12)) },
      ...([bounds, rates, plainMeasure] as const),
    );
    expect(standing.asking).toBe(1);
  });

  test("owes what asking again is likely to cost, by what the session has shown", () => {
    const busy = learn(...runs(12));
    const owed = owedFor(busy, { saves: 10_000, asking: 4_000, space });
    expect(owed).toBeCloseTo(4_000 * busy.asking);
  });

  describe("in a full window", () => {
    const usual = learn(word);
    const owedIn = (asking: number, estimatedTokens: number) =>
      owedFor(
        { ...usual, asking },
        {
          ...{ saves: 10_000, asking: 4_000 },
          space: { ...space, estimatedTokens, usableTokens: 50_000 },
        },
      );

    test("owes less of what asking again is likely to cost, as what is kept goes soon", () => {
      expect(owedIn(1, 0)).toBe(4_000);
      expect(owedIn(1, 25_000)).toBeCloseTo(4_000 / 4);
      expect(owedIn(1, 40_000)).toBeCloseTo(4_000 / 25);
      expect(owedIn(0.5, 25_000)).toBeCloseTo(2_000 / 4);
      // As a switch to a smaller model leaves it.
      expect([owedIn(1, 60_000), owedIn(10, 60_000)]).toEqual([0, 0]);
    });

    test("owes it in full where the session asks more than usual, unless next to nothing is left", () => {
      expect(owedIn(2, 25_000)).toBe(8_000);
      expect(owedIn(10, 25_000)).toBe(40_000);
      expect(owedIn(1.5, 25_000)).toBeCloseTo(6_000 * (0.5 * 1.5) ** 2);
      expect(owedIn(2, 45_000)).toBeCloseTo(8_000 / 25);
    });

    test("owes no less for debt, nor for who looks nothing up", () => {
      const full = { ...space, estimatedTokens: 50_000, usableTokens: 50_000 };
      const still = learn(...runs(12), ...Array.from({ length: 30 }, () => word));
      const missed = { saves: 1_000, asking: 4_000 };
      expect(owedFor({ ...still, debt: 700 }, { ...missed, space: full })).toBe(
        700 + owedFor({ ...still, asking: 0 }, { ...missed, space }),
      );
    });
  });

  test("owes more where calls look up nothing new, and only for results that could be asked for", () => {
    const talk = (count: number) => Array.from({ length: count }, () => word);
    const busy = learn(...runs(12));
    expect(busy.stillness).toBe(0);
    expect(owedFor(busy, { saves: 10_000, asking: 0, space })).toBe(0);
    const still = learn(...runs(12), ...talk(30));
    expect(still.stillness).toBeGreaterThan(0.9);
    expect(still.beyondTokens).toBeGreaterThan(20_000);
    const owed = owedFor(still, { saves: 1_000, asking: 0, space });
    expect(owed).toBe(8 * still.stillness * rates.write * 1_000);
    expect(owedFor(still, { saves: 1_000_000, asking: 0, space })).toBeCloseTo(
      (owed / 1_000) * still.beyondTokens,
    );
    // Results that are asked for again are nothing new; another one is.
    expect(learn(...runs(12), ...runs(12), ...runs(12)).stillness).toBeGreaterThan(0.5);
    expect(learn(...runs(12), ...talk(30), ...runs(4, 100)).stillness).toBe(0);
    expect(owedFor(learn(...talk(40)), { saves: 10_000, asking: 0, space })).toBe(0);
  });

  describe("a call that comes though its result stands", () => {
    const same = () => called("grep", { pattern: "owl" }, output("grep", RESULT_CHARS));
    const calls = answers(same(), ...runs(6), same(), ...runs(6, 6), same());
    const [first, second, third] = [0, 7, 14];
    const learnt = (whys: Readonly<Record<number, Gone | "folded">>) =>
      learntTail(
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
        plainMeasure,
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
      learntTail({ messages: calls, projected: calls }, fixed, rates, plainMeasure).keepTokens,
    ).toBe(5_000);
  });
});
