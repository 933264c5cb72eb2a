import { describe, expect, test } from "bun:test";
import { findHostCuts } from "../../../src/features/tool-output/host-file.ts";
import { cutHead, cutTail } from "../../../src/features/tool-output/preview.ts";

const share = (maxBytes: number, maxLines = 9) => ({ maxBytes, maxLines });

describe("a head", () => {
  test("ends at a line's end where that costs at most half of it", () => {
    expect(cutHead("ab\ncdefgh", share(6))).toEqual({ text: "ab\n", bytes: 3, lines: 1 });
    expect(cutHead("ab\ncdefgh", share(7))).toEqual({ text: "ab\ncdef", bytes: 7, lines: 2 });
  });

  test("takes half a pair, and what only looks like one, as three bytes each", () => {
    for (const text of ["\udc00\udc00", "\ud800\ue000", "\ud800\ud800"]) {
      expect(cutHead(text, share(4))).toEqual({ text: text.slice(0, 1), bytes: 3, lines: 1 });
    }
    expect(cutHead("\ud83d\ude00", share(4))).toEqual({ text: "\ud83d\ude00", bytes: 4, lines: 1 });
    expect(cutHead("\ud83d\ude00", share(3))).toEqual({ text: "", bytes: 0, lines: 0 });
  });
});

describe("the size of a piece", () => {
  test("is that of UTF-8: one byte to U+007F, two to U+07FF, three and four beyond", () => {
    const sizes = { "\u007f": 1, "\u0080": 2, "\u07ff": 2, "\u0800": 3, "\uffff": 3, 𐀀: 4 };
    for (const [text, bytes] of Object.entries(sizes)) {
      expect(cutHead(text, share(9))).toEqual({ text, bytes, lines: 1 });
      expect(cutTail(text, share(9))).toEqual({ text, bytes, lines: 1 });
      expect(cutHead(text, share(bytes - 1)).text).toBe("");
    }
  });
});

describe("a tail", () => {
  test("begins at a line's beginning where that costs at most half of it", () => {
    expect(cutTail("xxxxxx\nab", share(4))).toEqual({ text: "ab", bytes: 2, lines: 1 });
    expect(cutTail("xxxxxx\nab", share(5))).toEqual({ text: "xx\nab", bytes: 5, lines: 2 });
  });

  test("is all of a text that is within the share", () => {
    expect(cutTail("a\nbcd", share(99))).toEqual({ text: "a\nbcd", bytes: 5, lines: 2 });
  });

  test("of one line is the last one", () => {
    expect(cutTail("a\nbcd", share(9, 1))).toEqual({ text: "bcd", bytes: 3, lines: 1 });
  });

  test("is empty where nothing of it fits", () => {
    expect(cutTail("a\nb", share(9, 0))).toEqual({ text: "", bytes: 0, lines: 0 });
    expect(cutTail("a\nä", share(1)).text).toBe("");
  });
});

describe("the host's notice", () => {
  const notice = "The tool call succeeded but the output was truncated. Full output saved to: /p";
  const output = (advice: string) => `the head\n\n...5 bytes truncated...\n\n${notice}\n${advice}`;

  test("ends with one line of advice", () => {
    expect(findHostCuts(output("Use Grep."), "/p")).toEqual([{ kind: "head", head: "the head" }]);
  });

  test("has the count of what was cut right before it", () => {
    const lines = output("Use Grep.").replace("5 bytes", "12 lines");
    expect(findHostCuts(lines, "/p")).toEqual([{ kind: "head", head: "the head" }]);
    expect(findHostCuts(output("Use Grep.").replace("...\n\nThe", "... \n\nThe"), "/p")).toEqual(
      [],
    );
    expect(findHostCuts(output("Use Grep.").replace("5 bytes", "5 words"), "/p")).toEqual([]);
  });

  test("of the shell has its note behind the tail, or that is a text of the command's", () => {
    const shell = (rest: string) =>
      findHostCuts(`...output truncated...\n\nFull output saved to: /p\n\n${rest}`, "/p");
    const note = "\n\n<shell_metadata>\nUser aborted\n</shell_metadata>";
    expect(shell("abc")).toEqual([{ kind: "tail", tail: "abc", closing: "" }]);
    expect(shell("(no output)")).toEqual([{ kind: "tail", tail: "", closing: "" }]);
    expect(shell(`abc${note}`)).toEqual([
      { kind: "tail", tail: "abc", closing: note },
      { kind: "tail", tail: `abc${note}`, closing: "" },
    ]);
    expect(shell(`abc${note}d`)).toEqual([{ kind: "tail", tail: `abc${note}d`, closing: "" }]);
  });

  test("is none with anything else behind it", () => {
    expect(findHostCuts(output("Somebody's own words."), "/p")).toEqual([]);
    expect(findHostCuts(output("Use Grep.\nAnd more."), "/p")).toEqual([]);
    expect(findHostCuts(output("Use Grep."), "/other")).toEqual([]);
  });
});
