import { describe, expect, test } from "bun:test";
import { budgetOf, tailBounds } from "../../src/history/settings.ts";
import { learntTail } from "../../src/history/tail.ts";
import { refOf } from "../../src/projection/ref.ts";
import type { LoosePart } from "../projection/history.ts";
import { answers, called } from "./calls.ts";
import { output, rates, settings } from "./simulation.ts";

const bounds = { start: 4_000, least: 2_000, most: 20_000 };
const RESULT_CHARS = 8_000;

const learn = (...calls: readonly LoosePart[]) => learntTail(answers(...calls), bounds, rates);
const run = (name: string) => called("bash", { command: name }, output(name, RESULT_CHARS));
const runs = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => run(`step ${from + index}`));

describe("the protected tail", () => {
  test("begins at a twelfth of the window, within its bounds, and may take a quarter of it", () => {
    expect(tailBounds(settings, 56_000)).toEqual({ start: 6_000, least: 2_000, most: 14_000 });
    expect(tailBounds(settings, 168_000)).toEqual({ start: 14_000, least: 2_000, most: 42_000 });
    expect(tailBounds(settings, 968_000)).toEqual({ start: 16_000, least: 2_000, most: 242_000 });
    expect(tailBounds(settings, null).start).toBe(16_000);
    const fixed = { start: 5_000, least: 5_000, most: 5_000 };
    expect(tailBounds({ ...settings, keepTokens: 5_000 }, 168_000)).toEqual(fixed);
  });

  test("the folded history may take a seventh of the window, and no more than 16,000", () => {
    expect(budgetOf(settings, 56_000)).toBe(8_000);
    expect(budgetOf(settings, 968_000)).toBe(16_000);
    expect(budgetOf(settings, null)).toBe(16_000);
    expect(budgetOf({ ...settings, budgetTokens: 3_000 }, 56_000)).toBe(3_000);
  });

  test("stays as it begins as long as nothing is known", () => {
    expect(learn()).toEqual({ keepTokens: 4_000, regret: 0, spared: 0 });
    expect(learn(...runs(10)).keepTokens).toBe(4_000);
  });

  test("grows when what stood beyond it is asked for again, unchanged", () => {
    const tail = learn(...runs(6), run("step 0"));
    expect(tail.keepTokens).toBe(6_000);
    expect(learn(...runs(6), run("step 0"), run("step 1"), run("step 2")).keepTokens).toBe(13_500);
  });

  test("does not grow for what still stood in it, or has another answer now", () => {
    expect(learn(...runs(6), run("step 5")).keepTokens).toBe(4_000);
    const changed = called("bash", { command: "step 0" }, "something else");
    expect(learn(...runs(6), changed).keepTokens).toBe(4_000);
  });

  test("counts what is expanded by its ref", () => {
    const expand = called("ctx_expand", { ref: refOf("r", "m0.0") }, "shown");
    expect(learn(...runs(6), expand).keepTokens).toBe(6_000);
    const unknown = called("ctx_expand", { ref: "r:000000" }, "not found");
    expect(learn(...runs(6), unknown, called("ctx_expand", {}, "?")).keepTokens).toBe(4_000);
  });

  test("never grows beyond its most, and shrinks slowly to its least without regret", () => {
    const asking = Array.from({ length: 12 }, () => runs(12)).flat();
    expect(learn(...asking).keepTokens).toBe(20_000);
    const quiet = learn(...runs(30)).keepTokens;
    expect(quiet).toBeLessThan(4_000);
    expect(quiet).toBeGreaterThan(2_000);
    const short = Array.from({ length: 400 }, (_, n) => called("x", { n }, "a short answer"));
    expect(learn(...short).keepTokens).toBe(2_000);
  });

  test("a fixed one learns nothing", () => {
    const fixed = { start: 5_000, least: 5_000, most: 5_000 };
    const calls = answers(...runs(6), run("step 0"));
    expect(learntTail(calls, fixed, rates).keepTokens).toBe(5_000);
  });
});
