import { expect, test } from "bun:test";
import { splitPassages } from "../../src/search-index/document.ts";

const sizes = (text: string) => splitPassages(text).map((passage) => passage.text.length);

test("a text of 1,500 characters is one passage, and an empty one none", () => {
  expect(sizes("x".repeat(1_500))).toEqual([1_500]);
  expect(sizes(`${"x".repeat(700)}\n${"x".repeat(799)}`)).toEqual([1_500]);
  expect(sizes("x".repeat(1_501))).toEqual([1_500, 1]);
  expect(splitPassages("")).toEqual([]);
});

test("a passage ends at the last break of a line that it has room for", () => {
  const line = `${"x".repeat(99)}\n`;
  expect(splitPassages(line.repeat(40)).map(({ line: first }) => first)).toEqual([1, 16, 31]);
  expect(sizes(line.repeat(40))).toEqual([1_500, 1_500, 1_000]);
  expect(sizes(`${"x".repeat(1_499)}\n${"y".repeat(100)}`)).toEqual([1_500, 100]);
  expect(sizes(`${"x".repeat(1_500)}\n${"y".repeat(100)}`)).toEqual([1_500, 101]);
});

test("an empty line in front of a long one is a passage", () => {
  const passages = splitPassages(`\n${"x".repeat(1_600)}`);
  expect(passages.map(({ line, text }) => [line, text.length])).toEqual([
    ...[
      [1, 1],
      [2, 1_500],
      [2, 100],
    ],
  ]);
});

test("a line that is longer stands in several, under its number", () => {
  const passages = splitPassages(`a\n${"x".repeat(3_100)}\nb\nc`);
  expect(passages.map(({ line }) => line)).toEqual([1, 2, 2, 2]);
  expect(splitPassages(`a\nb\n${"x".repeat(1_600)}\nb\n${"y".repeat(1_480)}\nc`).at(-1)?.line).toBe(
    5,
  );
});

test("a passage never ends between the halves of a character", () => {
  const [first, second] = splitPassages(`${"x".repeat(1_499)}😀${"y".repeat(10)}`);
  expect(first?.text).toBe("x".repeat(1_499));
  expect(second?.text).toBe(`😀${"y".repeat(10)}`);
  expect(sizes(`${"x".repeat(1_498)}😀${"y".repeat(10)}`)).toEqual([1_500, 10]);
  // Private use, which stands right after the halves.
  expect(sizes(`${"x".repeat(1_499)}\ue000yy`)).toEqual([1_500, 2]);
});

test("the passages together are the text", () => {
  const text = Array.from({ length: 300 }, (_, at) => "word ".repeat((at * 7) % 90)).join("\n");
  expect(
    splitPassages(text)
      .map((passage) => passage.text)
      .join(""),
  ).toBe(text);
});
