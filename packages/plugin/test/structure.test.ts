import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  commentFaults,
  type SourceFile,
  sourceFiles,
  structureDocument,
} from "../../../scripts/structure.mjs";

const page = resolve(import.meta.dir, "../../../STRUCTURE.md");
const files = sourceFiles();

const file = (path: string, comment: string | null, folder: string | null): SourceFile => ({
  path,
  file: comment,
  folder,
});

test("every source file opens with a comment that says what it is, one per folder what the folder is", () => {
  expect(files.length).toBeGreaterThan(300);
  expect(commentFaults(files)).toEqual([]);
});

test("STRUCTURE.md is what `npm run generate` writes", () => {
  const upToDate = readFileSync(page, "utf8") === structureDocument(files);
  expect(upToDate ? "up to date" : "out of date: run `npm run generate`").toBe("up to date");
});

test("STRUCTURE.md stays short", () => {
  expect(readFileSync(page, "utf8").split("\n").length).toBeLessThan(150);
});

test("a file without a comment and a folder without a line, or with two, are named", () => {
  expect(
    commentFaults([
      file("scripts/a.mjs", null, null),
      file("scripts/x/b.mjs", "Does b.", "Does x."),
      file("scripts/x/c.mjs", "Does c.", "Does x too."),
    ]),
  ).toEqual([
    "scripts/a.mjs doesn't open with a comment that says what the file is.",
    'No file in scripts opens with a comment that has a line "// Folder: …".',
    'scripts/x/b.mjs and scripts/x/c.mjs both have a line "// Folder: …".',
  ]);
});
