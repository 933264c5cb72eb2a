import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { wellFormed } from "../../src/context/rendering.ts";
import {
  clip,
  decisions,
  errorLines,
  firstSentence,
  lastSentence,
  strikingLines,
} from "../../src/history/words.ts";

describe("words of a text", () => {
  test("are cut at a word, in one line, and never within a character", () => {
    expect(clip("one\n  two", 20)).toBe("one two");
    expect(clip("one two three", 9)).toBe("one two…");
    expect(clip("x".repeat(30), 10)).toBe(`${"x".repeat(9)}…`);
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 2, max: 40 }),
        (text, most) => {
          const cut = clip(text, most);
          expect(cut.length).toBeLessThanOrEqual(most);
          expect(wellFormed(cut)).toBe(cut);
          expect(cut).not.toContain("\n");
        },
      ),
    );
  });

  test("begin and end with a sentence", () => {
    const text = "# Done.\n\nI did it. All is well!\n- Next: rest.";
    expect(firstSentence(text)).toBe("Done.");
    expect(lastSentence(text)).toBe("rest.");
    expect([firstSentence(""), lastSentence("---")]).toEqual(["", ""]);
  });

  test("settle something", () => {
    const text =
      "It is red. We use pnpm instead of npm. Always ask first. The cause was DNS. Fine.";
    expect(decisions(text)).toEqual([
      "We use pnpm instead of npm.",
      "Always ask first.",
      "The cause was DNS.",
    ]);
  });

  test("say that something failed", () => {
    const text = "ok\nERROR: no such table\nok\nError: timed out\nERROR: no such table";
    expect(errorLines(text, 5)).toEqual(["ERROR: no such table", "Error: timed out"]);
    expect(errorLines(text, 1)).toHaveLength(1);
  });

  test("stand out from lines that are alike, in their order", () => {
    const alike = Array.from({ length: 200 }, (_, n) => `checked module ${n} of the tree`);
    const lines = [
      ...alike.slice(0, 120),
      "DEPLOY_TOKEN=zebra-77",
      ...alike.slice(120),
      "budget: 4,200 euros",
    ];
    expect(strikingLines(lines.join("\n"), 2)).toEqual([
      "DEPLOY_TOKEN=zebra-77",
      "budget: 4,200 euros",
    ]);
    expect(strikingLines("one\ntwo", 3)).toEqual(["one", "two"]);
    expect(strikingLines("", 3)).toEqual([]);
  });

  test("of a text of many lines are looked for at both of its ends, within a bounded time", () => {
    const huge = Array.from({ length: 200_000 }, (_, n) => `line ${n}`);
    const text = ["first = 1", ...huge, "last = 2"].join("\n");
    const startedMs = performance.now();
    expect(strikingLines(text, 2)).toEqual(["first = 1", "last = 2"]);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
