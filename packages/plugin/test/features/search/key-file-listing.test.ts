import { describe, expect, test } from "bun:test";
import {
  buildKeyFileList,
  createKeyFilesSource,
  type KeyFileList,
} from "../../../src/features/search/key-file-listing.ts";
import { type KeyFile, renderFiles } from "../../../src/features/search/key-file-rank.ts";
import { estimateTokens } from "../../../src/ledger/tokens.ts";
import { parseConfig } from "../../whole-config.ts";

const source = createKeyFilesSource(() => ({ files: [] }));
const listed = (...files: readonly (readonly [string, ...string[]])[]): KeyFileList => ({
  files: files.map(([path, ...lines]) => ({ path, lines })),
});

describe("a list within its budget", () => {
  const file = (path: string, count: number) => ({
    path,
    lines: Array.from({ length: count }, () => "x".repeat(38)),
  });

  test("has its files by path, whatever their rank", () => {
    const list = buildKeyFileList([file("b", 1), file("c", 1), file("a", 1)], 1_000);
    expect(list.files.map(({ path }) => path)).toEqual(["a", "b", "c"]);
  });

  test("has of each file as much as a quarter of the budget holds", () => {
    const [taken] = buildKeyFileList([file("a", 50)], 400).files;
    const tokens = (lines: number) => estimateTokens(`a${`\n  ${"x".repeat(38)}`.repeat(lines)}`);
    const count = taken?.lines.length ?? 0;
    expect(tokens(count)).toBeLessThanOrEqual(100);
    expect(tokens(count + 1)).toBeGreaterThan(100);
  });

  test("has a smaller file further down where a larger one doesn't fit, and one by its path alone", () => {
    const long = { path: "p".repeat(500), lines: [] };
    const list = buildKeyFileList([file("a", 9), long, file("z", 0)], 400);
    expect(list.files.map(({ path, lines }) => [path, lines.length])).toEqual([
      ...([
        ["a", 9],
        ["z", 0],
      ] as [string, number][]),
    ]);
  });

  test("has a file that fits exactly, into its share and into the rest", () => {
    // Of 399 characters: its path, a break, two spaces and its line.
    const share = { path: "a", lines: ["x".repeat(396)] };
    expect(buildKeyFileList([share], 400).files[0]?.lines).toHaveLength(1);
    expect(buildKeyFileList([{ ...share, lines: ["x".repeat(397)] }], 400).files[0]?.lines).toEqual(
      [],
    );
    const frame = estimateTokens(source.baseline(listed(["a"], ["b"])));
    const both = (budget: number) => buildKeyFileList([file("a", 0), file("b", 0)], budget).files;
    expect(both(frame)).toHaveLength(2);
    expect(both(frame - 1)).toHaveLength(1);
  });

  test("is filled up to its last token", () => {
    const files = Array.from({ length: 12 }, (_, at) => file(`f${10 + at}`, 9));
    const text = (budget: number) => source.baseline(buildKeyFileList(files, budget));
    for (const budget of [300, 301, 302, 303]) {
      expect(estimateTokens(text(budget))).toBeLessThanOrEqual(budget);
      expect(estimateTokens(text(budget))).toBeGreaterThan(budget - 14);
    }
    expect(buildKeyFileList(files, 10).files).toEqual([]);
  });
});

describe("what is said of the list", () => {
  test("keeps a line's own indentation, and no other space", () => {
    const text = source.baseline(listed(["a\u2028b.ts", "  run()  ", "\tstop()", "\u00a0x"]));
    expect(text.split("\n").slice(2, -1)).toEqual([
      ...["a b.ts", "    run()", "  \tstop()", "  x"],
    ]);
  });

  test("an update has the files that changed, and names those that are gone", () => {
    const before = listed(["a.ts", "one"], ["b.ts", "two"], ["c.ts"], ["d.ts"]);
    const after = listed(["a.ts", "one"], ["b.ts", "three"], ["e.ts"]);
    expect(source.update?.(before, after)?.split("\n").slice(1, -1)).toEqual([
      "The outlines of key files have changed.",
      "b.ts",
      "  three",
      "e.ts",
      "No longer listed: c.ts, d.ts",
    ]);
    const more = source.update?.(
      before,
      listed(["a.ts", "one"], ["b.ts", "two"], ["c.ts"], ["d.ts"], ["x.ts"]),
    );
    expect(more).not.toContain("No longer listed");
    expect(more).not.toContain("a.ts");
  });

  test("an update without a change says all of it, and an end says so", () => {
    const list = listed(["a.ts", "one"]);
    expect(source.update?.(list, list)).toBe(source.baseline(list));
    expect(source.removed?.(list)).toBe("No files are listed as key files any more.");
  });
});

describe("key files as people read them", () => {
  const used = (path: string): KeyFile => ({ path, sessions: 2, reads: 1, edits: 0, score: 1 });

  test("each has its figures, a mark where sessions get it, and pinned ones stand first", () => {
    const text = renderFiles([used("a.ts"), used("b.ts")], (path) => path !== "b.ts", [
      "b.ts",
      "p.ts",
    ]);
    expect(text.split("\n")).toEqual([
      "  b.ts: pinned",
      "* p.ts: pinned",
      "* a.ts: 2 sessions, 1 read, 0 edits",
      "  b.ts: 2 sessions, 1 read, 0 edits",
    ]);
  });

  test("thirty are shown", () => {
    const many = Array.from({ length: 40 }, (_, at) => used(`f${at}.ts`));
    expect(renderFiles(many, () => false, []).split("\n")).toHaveLength(30);
  });
});

test("paths are set as texts that aren't empty, 200 at most", () => {
  const paths = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);
  const set = (pinned: readonly string[], banned: readonly string[] = []) =>
    parseConfig({ keyFiles: { pinned, banned } });
  expect(set(paths(200), paths(200))).toMatchObject({ keyFiles: { enabled: false } });
  for (const wrong of [() => set(paths(201)), () => set([], paths(201)), () => set([""])]) {
    expect(wrong).toThrow();
  }
  expect(() => set([], [""])).toThrow();
});
