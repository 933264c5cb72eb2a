import { describe, expect, test } from "bun:test";
import { parseYesOrNo } from "../../../src/features/memory/smart-note-checks.ts";
import {
  describeCondition,
  parseCondition,
} from "../../../src/features/memory/smart-note-condition.ts";

const NOW = new Date(2026, 10, 23, 12, 0).getTime();
const HOUR = 3_600_000;

describe("HT2: what a smart note waits for", () => {
  test.each([
    ["2026-12-01", { kind: "date", atMs: new Date(2026, 11, 1).getTime() }],
    ["2026-12-01 14:05", { kind: "date", atMs: new Date(2026, 11, 1, 14, 5).getTime() }],
    [" 2026-12-01T14:05 ", { kind: "date", atMs: new Date(2026, 11, 1, 14, 5).getTime() }],
    ["in 2 hours", { kind: "date", atMs: NOW + 2 * HOUR }],
    ["in 1 day", { kind: "date", atMs: NOW + 24 * HOUR }],
    ["In 3 Weeks", { kind: "date", atMs: NOW + 21 * 24 * HOUR }],
    ["file dist/app.js", { kind: "file", path: "dist/app.js", was: null }],
    ["command npm test -- unit", { kind: "command", line: "npm test -- unit" }],
    ["ask Is 2.0 released?", { kind: "question", question: "Is 2.0 released?" }],
    ["in 90 minutes", { kind: "date", atMs: NOW + 1.5 * HOUR }],
    ["file   a b.js  ", { kind: "file", path: "a b.js", was: null }],
    ["ask\tone\nmore?", { kind: "question", question: "one\nmore?" }],
    ["2026-12-01 23:59", { kind: "date", atMs: new Date(2026, 11, 1, 23, 59).getTime() }],
    ["on 2026-12-01", null],
    ["2026-12-01 or so", null],
    ["2026-13-01", null],
    ["2026-12-41", null],
    ["2026-12-01 10:60", null],
    ["2026-12-01 25:00", null],
    ["begin in 2 days", null],
    ["in 2 days or so", null],
    ["a file dist/app.js", null],
    ["2026-02-30", null],
    ["2026-12-01 24:00", null],
    ["2026-12-01 10:61", null],
    ["tomorrow", null],
    ["in some days", null],
    ["file", null],
    ["", null],
  ])("%p", (words, expected) => {
    expect(parseCondition(words, NOW)).toEqual(expected as ReturnType<typeof parseCondition>);
  });

  test("it is said again in words", () => {
    const said = (words: string) => {
      const condition = parseCondition(words, NOW);
      return condition && describeCondition(condition);
    };
    expect(said("2026-12-01 09:05")).toBe("the time is 2026-12-01 09:05");
    expect(said("file a.js")).toBe("a.js is there");
    expect(describeCondition({ kind: "file", path: "a.js", was: "x" })).toBe("a.js has changed");
    expect(said("command make")).toBe("`make` exits with 0");
    expect(said("ask Done?")).toBe("a model says yes to: Done?");
  });

  test.each([
    ["yes", "yes"],
    ["No.", "no"],
    ['"Yes"\n', "yes"],
    ["Is it? yes", null],
    ["yes, since the tag is there", null],
    ["I can't know", null],
    ["", null],
  ] as const)("an answer %p counts as %p", (text, expected) => {
    expect(parseYesOrNo(text)).toBe(expected);
  });
});
