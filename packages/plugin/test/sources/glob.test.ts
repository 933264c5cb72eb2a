import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expandBraces, isPattern } from "../../src/sources/glob-pattern.ts";
import { globFiles } from "../../src/sources/glob-walk.ts";
import { write } from "./host-layouts.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

describe("patterns of configured instructions", () => {
  test("braces are expanded in order, those without a comma are text", () => {
    expect(expandBraces("a{b,c{d,}}e")).toEqual(["abe", "acde", "ace"]);
    expect(expandBraces("{1..3}{x}")).toEqual(["1{x}", "2{x}", "3{x}"]);
    expect(expandBraces("a{b")).toEqual(["a{b"]);
  });

  test("only what can match more than one name is a pattern", () => {
    expect(["a.md", "a{b}", "docs/x (1).md"].filter(isPattern)).toEqual([]);
    const patterns = ["*", "a?", "[ab]", "{a,b}", "+(a)", "\\*"];
    expect(patterns.filter(isPattern)).toEqual(patterns);
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
    ["l/**/in.md", "unmatched", ["l/link/in.md"]],
    ["*/in.md", "unmatched", ["link/in.md", "to/in.md"]],
    ["d/../{b,none}.md", "unmatched", ["b.md"]],
    ["none/*", "unmatched", []],
    ["[b-a].md", "unmatched", []],
    ["[[:alpha:]", "unmatched", []],
  ];
  test.each(table)("%s, dot files %s", async (pattern, dots, expected) => {
    const folder = scratchFolder();
    write(folder, Object.fromEntries([...files, "l/.keep"].map((name) => [name, ""])));
    symlinkSync(join(folder, "to"), join(folder, "link"));
    symlinkSync(join(folder, "to"), join(folder, "l/link"));
    const found = await globFiles(pattern, folder, dots);
    expect(found.map((path) => path.slice(folder.length + 1)).toSorted()).toEqual([...expected]);
  });
});
