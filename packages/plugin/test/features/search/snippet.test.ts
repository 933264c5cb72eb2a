import { expect, test } from "bun:test";
import { numberTexts, type RecordLine } from "../../../src/context/frames.ts";
import { cutSnippet, joinPassages } from "../../../src/features/search/snippet.ts";

/** So many lines, each of 7 tokens with its number; some of them say other things. */
function lines(count: number, said: Readonly<Record<number, string>> = {}): readonly RecordLine[] {
  return numberTexts(
    Array.from({ length: count }, (_, at) => said[at + 1] ?? `plain text ${10 + at}`),
  );
}

const LINE_TOKENS = 7;
const word = (text: string, weight = 1) => ({ text, weight });
const lineNumbers = (shown: readonly RecordLine[]) => shown.map(({ number }) => number);

test("passages in a row are lines, and a line that two of them share is one", () => {
  expect(
    joinPassages([
      { line: 3, text: "one\ntwo\n" },
      { line: 5, text: "the long " },
      { line: 5, text: "line\nlast" },
    ]),
  ).toEqual([
    ...[
      { number: 3, text: "one" },
      { number: 4, text: "two" },
    ],
    ...[
      { number: 5, text: "the long line" },
      { number: 6, text: "last" },
    ],
  ]);
  expect(joinPassages([{ line: 1, text: "a\n\n" }]).map(({ text }) => text)).toEqual(["a", ""]);
});

test("around the line with the word stand twice as many lines after it as before", () => {
  const shown = cutSnippet(lines(60, { 30: "heron number 1" }), [word("heron")], 7 * LINE_TOKENS);
  expect(lineNumbers(shown)).toEqual([28, 29, 30, 31, 32, 33, 34]);
});

test("at an end of the record the other side has the room", () => {
  const five = 5 * LINE_TOKENS;
  const first = cutSnippet(lines(60, { 1: "heron number 1" }), [word("heron")], five);
  expect(lineNumbers(first)).toEqual([1, 2, 3, 4, 5]);
  const last = cutSnippet(lines(60, { 60: "heron number 1" }), [word("heron")], five);
  expect(lineNumbers(last)).toEqual([56, 57, 58, 59, 60]);
});

test("a record that fits is shown whole, and the best line whatever it takes", () => {
  const few = lines(4, { 2: "heron number 1" });
  expect(cutSnippet(few, [word("heron")], 1_000)).toEqual(few);
  expect(lineNumbers(cutSnippet(lines(60, { 30: "heron number 1" }), [word("heron")], 1))).toEqual([
    30,
  ]);
});

test("the room is filled to its last token", () => {
  const of = (tokens: number) =>
    lineNumbers(cutSnippet(lines(60, { 30: "heron number 1" }), [word("heron")], tokens)).length;
  expect([of(2 * LINE_TOKENS - 1), of(2 * LINE_TOKENS)]).toEqual([1, 2]);
});

test("the place is where most of the words stand near each other", () => {
  const said = { 10: "heron number 1", 40: "heron number 2", 43: "kestrel number 3" };
  const shown = cutSnippet(lines(60, said), [word("heron"), word("kestrel")], 1);
  expect(lineNumbers(shown)).toEqual([40]);
});

test("words are near each other within four lines", () => {
  const shown = (apart: number) =>
    lineNumbers(
      cutSnippet(
        lines(60, { 5: "heron number 1", 30: "heron number 2", [30 + apart]: "kestrel" }),
        [word("heron", 3), word("kestrel")],
        1,
      ),
    );
  expect(shown(4)).toEqual([30]);
  // Beyond, it is a place of its own.
  expect(shown(5)).toEqual([5, 35]);
});

test("a second place has four tenths of the room, where it holds what the first one lacks", () => {
  const said = { 10: "heron number 1", 50: "kestrel number 2" };
  const shown = cutSnippet(lines(60, said), [word("heron", 2), word("kestrel")], 10 * LINE_TOKENS);
  expect(lineNumbers(shown)).toEqual([8, 9, 10, 11, 12, 13, 49, 50, 51, 52]);
});

test("a second place that adds less than a tenth of the words' weight is not worth its room", () => {
  const said = { 10: "heron number 1", 50: "kestrel number 2" };
  const shown = (weight: number) =>
    lineNumbers(cutSnippet(lines(60, said), [word("heron", 9), word("kestrel", weight)], 1));
  expect(shown(1)).toEqual([10, 50]);
  expect(shown(0.9)).toEqual([10]);
});

test("of lines that add the same, the second place is the one that holds more", () => {
  const said = { 10: "heron number 1", 30: "kestrel number 2", 50: "kestrel and heron" };
  const shown = cutSnippet(lines(60, said), [word("heron", 5), word("kestrel", 1)], 1);
  // With both words the last one is the best; the heron alone adds nothing.
  expect(lineNumbers(shown)).toEqual([50]);
  const other = { 10: "heron and owl", 30: "kestrel number 2", 50: "kestrel and owl" };
  const words = [word("heron", 5), word("owl", 2), word("kestrel", 1)];
  expect(lineNumbers(cutSnippet(lines(60, other), words, 1))).toEqual([10, 50]);
});

test("where the words stand nowhere it begins with the first line", () => {
  expect(lineNumbers(cutSnippet(lines(60), [word("heron")], 3 * LINE_TOKENS))).toEqual([1, 2, 3]);
});

test("the better place may stand after the other one: lines stay in the record's order", () => {
  const said = { 10: "kestrel number 1", 50: "heron number 2" };
  const shown = cutSnippet(lines(60, said), [word("heron", 2), word("kestrel")], 1);
  expect(lineNumbers(shown)).toEqual([10, 50]);
});

test("a word that weighs little is found as well", () => {
  const shown = cutSnippet(lines(60, { 50: "heron number 1" }), [word("heron", 0.1)], 1);
  expect(lineNumbers(shown)).toEqual([50]);
});

test("a line between two words is no place, though both stand near it", () => {
  const said = { 40: "heron number 1", 47: "kestrel number 2" };
  const shown = cutSnippet(lines(60, said), [word("heron"), word("kestrel")], 1);
  expect(lineNumbers(shown)).toEqual([40, 47]);
});

test("the second place is the line that adds most, though another holds more", () => {
  const said = { 10: "heron and owl", 30: "kestrel number 1", 50: "heron and finch" };
  const words = [word("heron", 5), word("owl", 2), word("kestrel", 1.5), word("finch", 1)];
  expect(lineNumbers(cutSnippet(lines(60, said), words, 1))).toEqual([10, 30]);
});

test("two places that meet show each line once, in order", () => {
  const said = { 10: "heron number 1", 16: "kestrel number 2" };
  const shown = cutSnippet(lines(60, said), [word("heron", 2), word("kestrel")], 20 * LINE_TOKENS);
  expect(lineNumbers(shown)).toEqual([...new Set(lineNumbers(shown))].sort((a, b) => a - b));
  expect(lineNumbers(shown)).toContain(10);
  expect(lineNumbers(shown)).toContain(16);
});
