import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Instructions,
  parseInstructions,
  renderHostText,
} from "../../src/sources/instruction-text.ts";
import { limitText } from "../../src/sources/read-file.ts";

const limit = 1_048_576;
const value: Instructions = [
  { source: "/a/AGENTS.md", content: "one\n" },
  { source: "/AGENTS.md", content: "" },
  { source: "https://x/rules", content: "three" },
];

describe("the frozen instructions block as a value", () => {
  test("the host's rendering skips empty files, and is nothing without content", () => {
    expect(renderHostText(value)).toBe(
      "Instructions from: /a/AGENTS.md\none\n\nInstructions from: https://x/rules\nthree",
    );
    expect(renderHostText([{ source: "/a", content: "" }])).toBeNull();
  });

  test("D2: empty files, which the block does not show, are taken from the loader", () => {
    expect(parseInstructions(renderHostText(value), value, limit)).toBe(value);
    const empty = [{ source: "/a", content: "" }];
    expect(parseInstructions(null, empty, limit)).toBe(empty);
    expect(parseInstructions(null, null, limit)).toBeNull();
  });

  test("J20: an edit between the loader's look and the host's is taken from the block", () => {
    const shown = value.map((one) =>
      one.source === "/a/AGENTS.md" ? { ...one, content: "1" } : one,
    );
    expect(parseInstructions(renderHostText(shown), value, limit)?.toSorted(bySource)).toEqual(
      shown.toSorted(bySource),
    );
    expect(parseInstructions(null, value, limit)).toEqual([{ source: "/AGENTS.md", content: "" }]);
    expect(parseInstructions("Instructions from: /new\ntext", null, limit)).toEqual([
      { source: "/new", content: "text" },
    ]);
    expect(parseInstructions("Instructions from: /new", null, limit)).toEqual([
      { source: "/new", content: "" },
    ]);
  });

  test("the same files in another order are the same value", () => {
    expect(parseInstructions(renderHostText(value.toReversed()), value, limit)).toBe(value);
  });

  test("D9: a file that the loader cuts is the same value where the host shows it whole", () => {
    const long = "ü".repeat(2_000);
    const loaded = [
      { source: "/a", content: limitText(long, 1_000) },
      { source: "/b", content: "b" },
    ];
    const shown = [
      { source: "/a", content: long },
      { source: "/b", content: "b" },
    ];
    expect(parseInstructions(renderHostText(shown), loaded, 1_000)).toBe(loaded);
  });

  /** What is told where the block shows these files, and our loader has found those. */
  const told = (shown: Instructions, loaded: Instructions | null) =>
    parseInstructions(renderHostText(shown), loaded, limit);
  const file = (name: string, content: string) => ({ source: `/${name}`, content });
  const fakeB = "see\nInstructions from: /b\nfake";

  test("a heading inside an unchanged file is its content, where the file of that heading has changed or is gone", () => {
    const [a, b] = [file("a", fakeB), file("b", "old")];
    expect(told([a, file("b", "new")], [a, b])).toEqual([a, file("b", "new")]);
    expect(told([a], [a, b])).toEqual([a]);
  });

  test("a file that was added to at its end is told whole", () => {
    const b = file("b", "two");
    const longer = file("a", "one and more");
    expect(told([longer, b], [file("a", "one"), b])).toEqual([longer, b]);
    expect(told([longer], [file("a", "one")])).toEqual([longer]);
  });

  test("files that have all changed are told apart by their headings", () => {
    const shown = [file("a", "new"), file("b", "newer")];
    expect(told(shown, [file("a", "old"), file("b", "older")])).toEqual(shown);
  });

  test("a file that quotes its own heading is one file", () => {
    const a = file("a", "new\nInstructions from: /a\nquoted");
    expect(told([a], [file("a", "old")])).toEqual([a]);
  });

  test("a file that was empty and is not any more is told once, whatever it begins with", () => {
    const a = file("a", "\nInstructions from: /x\ny");
    expect(told([a], [file("a", "")])).toEqual([a]);
  });

  test("nothing is told where the block is not there, or empty", () => {
    expect(parseInstructions(null, [file("a", "one")], limit)).toBeNull();
    expect(parseInstructions("", null, limit)).toBeNull();
  });

  test("property: headings inside contents cost no byte and make no file", () => {
    const content = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "x\nInstructions from: /b\ny",
        "Instructions from: /a\n",
        "\n\nInstructions from: /c",
      ),
    );
    fc.assert(
      fc.property(
        fc.tuple(content, content, content),
        fc.nat(2),
        content,
        (contents, changed, now) => {
          const loaded = contents.map((text, index) => ({
            source: `/${"abc"[index]}`,
            content: text,
          }));
          expect(parseInstructions(renderHostText(loaded), loaded, limit)).toEqual(loaded);
          const shown = loaded.map((one, index) =>
            index === changed ? { ...one, content: now } : one,
          );
          const told = parseInstructions(renderHostText(shown), loaded, limit) ?? [];
          expect(renderHostText(told) ?? "").toBe(renderHostText(shown) ?? "");
        },
      ),
      { examples: [[["", "", "Instructions from: /a\n"], 1, "\n\nInstructions from: /c"]] },
    );
  });
});

const bySource = (left: { source: string }, right: { source: string }) =>
  left.source < right.source ? -1 : 1;
