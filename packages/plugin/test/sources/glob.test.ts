import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { Unavailable } from "../../src/context/source.ts";
import {
  type DotNameMatching,
  expandBraces,
  isPattern,
  maxAlternatives,
  NamePattern,
  tooComplexReason,
} from "../../src/sources/glob-pattern.ts";
import {
  defaultWalkBounds,
  GlobWalker,
  globFiles,
  type WalkBounds,
} from "../../src/sources/glob-walk.ts";
import { Confinement } from "../../src/sources/read-file.ts";
import { write } from "./host-layouts.ts";
import { scratchFolders } from "./scratch-folder.ts";

const SEED = Number(process.env.SEED ?? 20_261_123);
const scratchFolder = scratchFolders();
/** A clock that stands still: what takes long is tested in glob-cost.test.ts. */
const now = () => 0;

async function found(
  pattern: string,
  cwd: string,
  dots: DotNameMatching,
): Promise<readonly string[]> {
  const paths = await globFiles(pattern, {
    ...{ cwd, dots, now },
    bounds: defaultWalkBounds,
    confinement: null,
  });
  if (paths instanceof Unavailable) throw new Error(paths.reason);
  return paths.map((path) => path.slice(cwd.length + 1)).toSorted();
}

describe("patterns of configured instructions", () => {
  test("braces are expanded in order, those without a comma are text", () => {
    expect(expandBraces("a{b,c{d,}}e")).toEqual(["abe", "acde", "ace"]);
    expect(expandBraces("{1..3}{x}")).toEqual(["1{x}", "2{x}", "3{x}"]);
    expect(expandBraces("a{b")).toEqual(["a{b"]);
    expect(expandBraces("\\\\*")).toEqual(["\\\\*"]);
  });

  test("only what can match more than one name is a pattern", () => {
    expect(["a.md", "a{b}", "docs/x (1).md"].filter(isPattern)).toEqual([]);
    const patterns = ["*", "a?", "[ab]", "{a,b}", "+(a)", "\\*", "{1..9999}"];
    expect(patterns.filter(isPattern)).toEqual(patterns);
  });

  test("a name beyond 512 characters is too complex, also in one alternative only", () => {
    const long = "b".repeat(512);
    expect(expandBraces(`{a,${long}}`)).toEqual(["a", long]);
    expect(expandBraces(`{a,${long}b}`)).toBeNull();
    expect(expandBraces(`${long}b`)).toBeNull();
  });

  const files = ["a.md", "b.md", ".h.md", "x[1].md", "d/a.md", "d/e/a.md", "d/.s/a.md", "to/in.md"];
  const table: readonly [string, "matched" | "unmatched", readonly string[]][] = [
    ["*.md", "unmatched", ["a.md", "b.md", "x[1].md"]],
    ["*.md", "matched", [".h.md", "a.md", "b.md", "x[1].md"]],
    [".*.md", "unmatched", [".h.md"]],
    ["[!a].md", "unmatched", ["b.md"]],
    ["[a-b].md", "unmatched", ["a.md", "b.md"]],
    ["!(a|x*).md", "unmatched", ["b.md"]],
    ["x\\[1\\].md", "unmatched", ["x[1].md"]],
    ["**/a.md", "unmatched", ["a.md", "d/a.md", "d/e/a.md"]],
    ["**/a.md", "matched", ["a.md", "d/.s/a.md", "d/a.md", "d/e/a.md"]],
    ["d/**", "unmatched", ["d/a.md", "d/e/a.md"]],
    ["**/**/e/*", "unmatched", ["d/e/a.md"]],
    ["**/in.md", "unmatched", ["to/in.md"]],
    ["**/**/in.md", "unmatched", ["to/in.md"]],
    ["{**,l/**}/in.md", "unmatched", ["l/link/in.md", "to/in.md"]],
    ["l/**/in.md", "unmatched", ["l/link/in.md"]],
    ["l/**", "unmatched", ["l/link", "l/link/in.md"]],
    ["*/in.md", "unmatched", ["link/in.md", "to/in.md"]],
    ["d/../{b,none}.md", "unmatched", ["b.md"]],
    ["none/*", "unmatched", []],
    ["*.md/", "unmatched", []],
    ["[b-a].md", "unmatched", []],
    ["[[:alpha:]", "unmatched", []],
    ["", "unmatched", []],
  ];
  test.each(table)("%s, dot files %s", async (pattern, dots, expected) => {
    const folder = scratchFolder();
    write(folder, Object.fromEntries([...files, "l/.keep"].map((name) => [name, ""])));
    symlinkSync(join(folder, "to"), join(folder, "link"));
    symlinkSync(join(folder, "to"), join(folder, "l/link"));
    expect(await found(pattern, folder, dots)).toEqual([...expected]);
  });
});

test("below a link that `**` goes through once, only what follows it in the pattern matches", async () => {
  const folder = scratchFolder();
  write(folder, { "l/.keep": "", "to/in.md": "", "to/other.md": "", "to/d/in.md": "" });
  symlinkSync(join(folder, "to"), join(folder, "l/link"));
  expect(await found("l/**/in.md", folder, "unmatched")).toEqual(["l/link/in.md"]);
});

describe("a name's pattern", () => {
  const table: readonly [string, readonly string[], readonly string[]][] = [
    ["a*c", ["ac", "abc", "abcbc"], ["ab", "acb"]],
    ["a?c", ["abc", "a😀c"], ["ac", "abbc"]],
    ["@(a|b)c", ["ac", "bc"], ["c", "abc"]],
    ["?(a|b)c", ["c", "ac"], ["abc"]],
    ["*(a|b)c", ["c", "abbac"], ["abd"]],
    ["+(a|b)c", ["ac", "abbac"], ["c"]],
    ["!(a|b)c", ["c", "abc", "xc"], ["ac", "bc", "x"]],
    ["@(a@(b|c)|d)e", ["abe", "ace", "de"], ["ae", "abce"]],
    ["*(?(x)?(a)|b)", ["xb", "axb", "bxab", ""], ["xc"]],
    ["*(!(a))", ["", "b", "aa"], []],
    ["!(!(a))", ["a"], ["b", ""]],
    ["*(?(a))b", ["b", "aab"], ["a"]],
    ["@(a", ["@(a"], ["a"]],
    ["[]a]", ["]", "a"], ["b"]],
    ["[^a-c]", ["d"], ["b"]],
    ["[a", ["[a"], ["a"]],
    ["[[&]", ["[", "&"], ["a"]],
    ["[b-a]", [], ["a", "b"]],
    ["a\\*", ["a*"], ["ab"]],
    ["a\\", ["a\\"], ["a"]],
    ["a.b", ["a.b"], ["axb"]],
  ];
  test.each(table)("%s", (pattern, taken, refused) => {
    const shape = new NamePattern(pattern);
    expect(taken.filter((name) => !shape.test(name))).toEqual([]);
    expect(refused.filter((name) => shape.test(name))).toEqual([]);
  });

  test(`any pattern takes what the RegExp that it stands for takes (SEED=${SEED})`, () => {
    const letters = fc.constantFrom("a", "b", "*", "?", "[ab]", "[!a]");
    const word = fc.array(letters, { maxLength: 3 }).map((parts) => parts.join(""));
    const group = fc
      .tuple(fc.constantFrom("@", "?", "*", "+", "!"), word, word)
      .map(([mark, left, right]) => `${mark}(${left}|${right})`);
    const pattern = fc.array(fc.oneof(letters, group), { maxLength: 5 });
    const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 7 });
    fc.assert(
      fc.property(pattern, name, (parts, text) => {
        const whole = parts.join("");
        expect([whole, new NamePattern(whole).test(text)]).toEqual([whole, byRegExp(parts, text)]);
      }),
      { seed: SEED, numRuns: process.env.LONG === "1" ? 100_000 : 3000 },
    );
  });
});

/**
 * What is repeated takes at least one character each time: the RegExp of this Bun wrongly refuses "a" for
 * `(?:|)+(?:a|)+(?:a|a)+`.
 */
function repeated(options: readonly string[], mark: "+" | "*"): string {
  if (options.some((option) => /^(?:\.\*)+$/.test(option))) return ".*";
  const some = options.filter((option) => option !== "");
  if (some.length === 0) return "";
  return `(?:${some.join("|")})${some.length < options.length ? "*" : mark}`;
}

/** By a backtracking RegExp, for names and patterns that are short. */
function byRegExp(parts: readonly string[], text: string): boolean {
  const plain = (part: string) =>
    part.replaceAll("[!", "[^").replace(/\*|\?/g, (mark) => (mark === "*" ? ".*" : "."));
  const source = parts.reduceRight((after, part) => {
    const group = /^([@?*+!])\((.*)\)$/.exec(part);
    if (group === null) return plain(part) + after;
    const [, mark = "", words = ""] = group;
    const options = words.split("|").map(plain).join("|");
    if (mark === "!") return `(?:(?!(?:${options})${after}$).*)${after}`;
    if (mark === "+" || mark === "*") return repeated(options.split("|"), mark) + after;
    return `(?:${options})${mark === "@" ? "" : mark}${after}`;
  }, "");
  return new RegExp(`^(?:${source})$`, "su").test(text);
}

describe("the bounds of a walk", () => {
  const bounded = (pattern: string, cwd: string, bounds: Partial<WalkBounds>) =>
    globFiles(pattern, {
      ...{ cwd, dots: "unmatched", now, confinement: null },
      bounds: { ...defaultWalkBounds, ...bounds },
    });
  const tree = () => {
    const folder = scratchFolder();
    for (const name of ["a", "b", "c", "d"])
      write(folder, { [`${name}/x.md`]: "", [`${name}.md`]: "" });
    return folder;
  };

  test("folders: at the bound all is found, beyond it the walk is given up", async () => {
    expect(await bounded("*/x.md", tree(), { folders: 1 })).toHaveLength(4);
    expect(await bounded("*/*.md", tree(), { folders: 5 })).toHaveLength(4);
    expect(await bounded("*/*.md", tree(), { folders: 4 })).toEqual(
      new Unavailable("its pattern goes through more than 4 folders"),
    );
  });

  test("names: at the bound all is found, beyond it the walk is given up", async () => {
    expect(await bounded("*.md", tree(), { names: 8 })).toHaveLength(4);
    expect(await bounded("*.md", tree(), { names: 7 })).toEqual(
      new Unavailable("its pattern goes through more than 7 names"),
    );
  });

  test("files: at the bound all are found, beyond it the walk is given up", async () => {
    expect(await bounded("*.md", tree(), { files: 4 })).toHaveLength(4);
    expect(await bounded("*.md", tree(), { files: 3 })).toEqual(
      new Unavailable("its pattern matches more than 3 files"),
    );
  });

  test("steps: at the bound all is found, beyond it the walk is given up", async () => {
    const steps = 2 * 2 * 8 * "x.md".length * 4;
    expect(await bounded("*.md", tree(), { steps })).toHaveLength(4);
    expect(await bounded("*.md", tree(), { steps: 64 })).toEqual(
      new Unavailable("its pattern takes more than 64 steps to match"),
    );
  });

  test.each([10, 2_000])(
    "no clock ends a walk: each look at it finds %s ms later",
    async (laterMs) => {
      let nowMs = 0;
      const clock = () => {
        nowMs += laterMs;
        return nowMs;
      };
      const folder = scratchFolder();
      for (let index = 0; index < 500; index += 1) writeFileSync(join(folder, `${index}.md`), "");
      const globs = new GlobWalker(defaultWalkBounds, clock);
      const place = { cwd: folder, dots: "unmatched", confinement: null } as const;
      expect(await globs.findFiles("**/*.md", place)).toHaveLength(500);
      expect(nowMs).toBeGreaterThan(1_000);
    },
  );

  test("the default bounds", () => {
    expect(defaultWalkBounds).toEqual({
      folders: 10_000,
      names: 200_000,
      files: 1000,
      steps: 100_000_000,
    });
  });

  test("alternatives: a thousand are walked, more are given up", async () => {
    expect(expandBraces(`{1..${maxAlternatives}}`)).toHaveLength(maxAlternatives);
    expect(expandBraces(`{0..${maxAlternatives}}`)).toBeNull();
    const paths = await bounded(`{0..${maxAlternatives}}.md`, tree(), {});
    expect(paths).toEqual(new Unavailable(tooComplexReason));
  });

  test("a walk that is quick asks the clock once for each name, and does not wait", async () => {
    const folder = scratchFolder();
    for (let index = 0; index < 100; index += 1) writeFileSync(join(folder, `${index}.md`), "");
    let asked = 0;
    const clock = () => {
      asked += 1;
      return 0;
    };
    const walk = { cwd: folder, dots: "unmatched", now: clock, confinement: null } as const;
    expect(await globFiles("*.md", { ...walk, bounds: defaultWalkBounds })).toHaveLength(100);
    // Once at the start, once for the folder, once for each name; twice for each if it waited.
    expect(asked).toBeLessThan(150);
  });

  test("many `**` come to each folder once for each rest of the pattern", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, Array(30).fill("d").join("/")), { recursive: true });
    write(folder, { [`${Array(30).fill("d").join("/")}/x.md`]: "" });
    const pattern = `${"**/*/".repeat(8)}x.md`;
    expect(await bounded(pattern, folder, {})).toHaveLength(1);
  });

  test("what was given up rests a minute, and is walked again after it", async () => {
    const folder = tree();
    let nowMs = 0;
    const globs = new GlobWalker({ ...defaultWalkBounds, files: 3 }, () => nowMs);
    const place = { cwd: folder, dots: "unmatched", confinement: null } as const;
    const first = await globs.findFiles("*.md", place);
    expect(first).toBeInstanceOf(Unavailable);
    expect(await globs.findFiles("a.*", place)).toHaveLength(1);
    nowMs = 59_999;
    expect(await globs.findFiles("*.md", place)).toBe(first);
    nowMs = 60_000;
    const again = await globs.findFiles("*.md", place);
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });

  test("what is being walked is joined, and walked again once it has ended", async () => {
    const folder = tree();
    const globs = new GlobWalker();
    const place = { cwd: folder, dots: "unmatched", confinement: null } as const;
    const [first, second] = [globs.findFiles("*.md", place), globs.findFiles("*.md", place)];
    expect(await second).toBe(await first);
    write(folder, { "e.md": "" });
    expect(await globs.findFiles("*.md", place)).toHaveLength(5);
    expect(await globs.findFiles("*.md", { ...place, dots: "matched" })).toHaveLength(5);
  });
});

test("a confined walk lists no folder that a link leads out to", async () => {
  const [project, outside] = [scratchFolder(), scratchFolder()];
  write(outside, { "in/secret.md": "" });
  write(project, { "docs/a.md": "", "real/deep/b.md": "" });
  symlinkSync(outside, join(project, "docs/out"));
  symlinkSync(join(project, "real"), join(project, "docs/within"));
  const refused: string[] = [];
  const confinement = new Confinement(project, (path) => refused.push(path));
  const walk = {
    cwd: project,
    dots: "unmatched",
    now,
    bounds: defaultWalkBounds,
    confinement,
  } as const;
  const paths = await globFiles("docs/*/*/*.md", walk);
  expect(paths).toEqual([join(project, "docs/within/deep/b.md")]);
  expect(refused).toEqual([join(project, "docs/out")]);
  expect(await globFiles("docs/out/in/*", walk)).toEqual([]);
  expect(await globFiles("../*/in/*", walk)).toEqual([]);
});
