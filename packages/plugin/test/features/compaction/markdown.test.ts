import { describe, expect, test } from "bun:test";
import {
  type MarkdownLine,
  parseLabel,
  parseMarkdownLines,
} from "../../../src/features/compaction/markdown.ts";

const texts = (file: string) => parseMarkdownLines(file).map(({ text }) => text);
const only = (file: string): Partial<MarkdownLine> => {
  const [line, ...more] = parseMarkdownLines(file);
  if (!line || more.length > 0) throw new Error("one line");
  return line;
};

describe("the lines of a Markdown file", () => {
  test("are those of its blocks, with the columns that they are indented by", () => {
    const lines = parseMarkdownLines("# Title\n\none\n   two\n\n- three\r  four\n");
    const row = ({ text, level, indent, isItem, afterGap }: MarkdownLine) =>
      [text, level, indent, isItem, afterGap] as const;
    expect(lines.map(row)).toEqual([
      ["Title", 1, 0, false, false],
      ["one", 0, 0, false, true],
      ["two", 0, 3, false, false],
      ["three", 0, 0, true, true],
      ["four", 0, 2, false, false],
    ]);
  });

  test("are looked at up to 2,000 units each", () => {
    expect(only("x".repeat(2_500)).text).toBe("x".repeat(2_000));
  });

  test("have no comments; one that is opened and closed at once is open", () => {
    expect(texts("a <!-- b --> c")).toEqual(["a  c"]);
    expect(texts("a <!--> b --> c")).toEqual(["a  c"]);
    expect(texts("a <!-- b")).toEqual(["a <!-- b"]);
  });

  test("have boxes and bullets, also such as Markdown takes for text", () => {
    expect(only("• one")).toMatchObject({ isItem: true, box: null, text: "one" });
    expect(only("[ ] one")).toMatchObject({ isItem: true, box: "open", text: "one" });
    expect(only("- [x] one")).toMatchObject({ isItem: true, box: "done", text: "one" });
    expect(only("- [~] one")).toMatchObject({ isItem: true, box: "open", text: "one" });
    expect(parseMarkdownLines("one\n   2) two")[1]).toMatchObject({ isItem: true, text: "two" });
    expect(parseMarkdownLines("one\n   1234) two")[1]).toMatchObject({ isItem: true, text: "two" });
    expect(only("one")).toMatchObject({ isItem: false, box: null });
    expect(only("see [x] there")).toMatchObject({ isItem: false, box: null });
  });
});

describe("a code block", () => {
  test("is left out, in whatever way it is closed", () => {
    for (const file of ["```\na\n```", "```\na\n````", "~~~\na\n~~~  ", "> ```\n> a\n> ```"]) {
      expect(texts(`before\n\n${file}`)).toEqual(["before"]);
    }
  });

  test("that never ends is none, and what is before it is not said twice", () => {
    for (const [file, shown] of [
      ["```\na", ["a"]],
      ["```\na\n~~~", ["a", "~~~"]],
      ["```\na\n```js", ["a", "```js"]],
    ] as const) {
      expect(texts(`before\n\n${file}`)).toEqual(["before", ...shown]);
    }
  });
});

describe("emphasis", () => {
  const rows = [
    ["**a** and __b__", "a and b"],
    ["*a b* c", "a b c"],
    ["~~gone~~ here", "here"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["x*y* z", "x*y* z"],
    ["a *b*c", "a *b*c"],
    ["a * b* c", "a * b* c"],
    ["a *b * c", "a *b * c"],
  ] as const;
  test.each(rows)("of %j leaves %j", (written, text) => {
    expect(only(written).text).toBe(text);
  });
});

describe("a label", () => {
  const rows = [
    ["Name: value", { name: "Name", value: "value" }],
    ["Two words :  value ", { name: "Two words", value: "value" }],
    ["Name:", { name: "Name", value: "" }],
    ["Name:value", null],
    ["`a`: b", null],
    ["no label", null],
    [`${"x".repeat(60)}: y`, { name: "x".repeat(60), value: "y" }],
    [`${"x".repeat(61)}: y`, null],
  ] as const;
  test.each(rows)("in %j", (text, label) => {
    expect(parseLabel(text)).toEqual(label);
  });
});
