import { expect, test } from "bun:test";
import { numberTexts } from "../../../src/context/frames.ts";
import { NO_HEADS, renderRecord } from "../../../src/features/search/expand.ts";
import type { Ref } from "../../../src/ledger/ref.ts";
import { quotes } from "./stage.ts";

const REF = "r:abcdef" as Ref;

function rendered(
  texts: readonly string[],
  page: { readonly from: number; readonly lines: number } = { from: 1, lines: 200 },
  heads: ReadonlyMap<number, string> = NO_HEADS,
): string {
  return renderRecord({ ref: REF, words: "bash ls", lines: numberTexts(texts), heads }, page);
}

const five = ["a", "b", "c", "d", "e"];

test("a record that fits is shown whole, without a word on the rest", () => {
  const text = rendered(five);
  expect(text).toContain(`[${REF}] bash ls, 5 lines`);
  expect(quotes(text)).toEqual(five);
  expect(text).toEndWith("</recalled>");
});

test("a page begins with its line, has so many, and says how the rest is shown", () => {
  const text = rendered(five, { from: 2, lines: 2 });
  expect(text).toContain(`[${REF}] bash ls, lines 2 to 3 of 5`);
  expect(quotes(text)).toEqual(["b", "c"]);
  expect(text).toEndWith(`ctx_expand ${REF} with from: 4 shows the rest.`);
  expect(rendered(five, { from: 4, lines: 9 })).toEndWith("</recalled>");
});

test("there is a last line, and none after it", () => {
  expect(quotes(rendered(five, { from: 5, lines: 1 }))).toEqual(["e"]);
  expect(rendered(five, { from: 6, lines: 1 })).toBe(
    `${REF} (bash ls) has 5 lines; there is none from 6 on.`,
  );
});

test("heads stand before their lines, those of other pages nowhere", () => {
  const heads = new Map([
    [2, "HEAD TWO"],
    [4, "HEAD FOUR"],
  ]);
  const text = rendered(five, { from: 1, lines: 3 }, heads);
  expect(text).toContain("1| a\nHEAD TWO\n2| b\n3| c\n");
  expect(text).not.toContain("HEAD FOUR");
});

test("a page ends where 8,000 tokens are full, each line with three for its number", () => {
  const sized = (tokens: number) => "x".repeat(4 * (tokens - 3));
  const rest = (text: string) => /with from: (\d+)/.exec(text)?.[1];
  const full = Array.from({ length: 10 }, () => sized(800));
  expect(rest(rendered(full))).toBeUndefined();
  expect(rest(rendered(full.with(0, sized(801))))).toBe("10");
  expect(rest(rendered([sized(1_000), sized(1_000), ...full]))).toBe("10");
});

test("a line of 8,000 characters is shown whole, and of a longer one it says how much is left out", () => {
  const whole = "x".repeat(8_000);
  expect(quotes(rendered([whole]))).toEqual([whole]);
  expect(quotes(rendered([`${whole}yz`]))).toEqual([`${whole}… (2 more characters)`]);
});

test("one line is always shown, though it takes more than a page", () => {
  const wide = "数".repeat(8_001);
  expect(quotes(rendered([wide, "b"]))).toEqual([`${"数".repeat(8_000)}… (1 more characters)`]);
});
