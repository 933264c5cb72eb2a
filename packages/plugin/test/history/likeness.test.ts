import { expect, test } from "bun:test";
import fc from "fast-check";
import { type LineLikeness, measureLikenesses } from "../../src/history/words.ts";

/** The same with strings in maps. */
function plainly(lines: readonly string[]): readonly LineLikeness[] {
  const maskLine = (line: string) =>
    line
      .slice(0, 80)
      .replace(/\p{L}+/gu, "a")
      .replace(/\d+/g, "0");
  const parseWords = (line: string) => line.match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
  const words = lines.flatMap(parseWords);
  return lines.map((line) => ({
    alike: lines.filter((other) => maskLine(other) === maskLine(line)).length,
    ownWords: parseWords(line).filter((word) => words.filter((one) => one === word).length === 1)
      .length,
  }));
}

test("lines are alike by their letters and digits without their values, up to 80 characters", () => {
  const alike = (...lines: readonly string[]) => measureLikenesses(lines).map((one) => one.alike);
  expect(alike("ab 12: x", "c 345: yz", "c 345; yz", "C 3: Y")).toEqual([3, 3, 1, 3]);
  expect(alike("é 1", "e 2", "_ 3", "__ 3", "")).toEqual([2, 2, 1, 1, 1]);
  expect(alike("a1", "1a", "a1b22", "b2a")).toEqual([1, 1, 1, 1]);
  expect(alike(`${"-".repeat(80)}!`, `${"-".repeat(80)}?`)).toEqual([2, 2]);
  expect(alike(`${"-".repeat(79)}!`, `${"-".repeat(79)}?`)).toEqual([1, 1]);
});

test("words of three characters or more that stand once in all lines are a line's own", () => {
  const own = (...lines: readonly string[]) => measureLikenesses(lines).map((one) => one.ownWords);
  expect(own("one two one", "two three", "at", "a_1 _b2", "Two")).toEqual([0, 1, 0, 2, 1]);
  expect(own("größe über", "ÜBER größe", "價格表 二")).toEqual([1, 1, 1]);
  expect(own("(word)", "two-words", "")).toEqual([1, 2, 0]);
  expect(own()).toEqual([]);
});

test("whatever the lines say, they are as alike as by their strings", () => {
  const unit = fc.oneof(
    fc.constantFrom(..."aabBz09_ .:-\t"),
    fc.constantFrom("é", "ß", "價", "٣", "\u{1d400}", "\u{1f600}", "\ud800", "\0", "\x7f"),
  );
  const line = fc.oneof(
    fc.string({ unit, maxLength: 100 }),
    fc.constantFrom("abc 12", "abd 12", "ab\u{1d400}"),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      expect(measureLikenesses(lines)).toEqual(plainly(lines));
    }),
    { numRuns: 500 },
  );
});
