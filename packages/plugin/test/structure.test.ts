import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dir, "../../..");

/** The folders whose every file STRUCTURE.md describes. */
const DESCRIBED = ["packages/plugin/src", "packages/cli/src", "packages/e2e/src", "scripts"];

/** Lines of the form "  name.ts   what it is", under headings that name their folder. */
function describedFiles(markdown: string): ReadonlyMap<string, string> {
  const described = new Map<string, string>();
  let folder = "";
  for (const line of markdown.split("\n")) {
    const heading = /^#+ `([^`]+)\/`/.exec(line)?.[1];
    if (heading !== undefined) folder = heading;
    const entry = /^- `([^`]+)`: (\S.*)$/.exec(line);
    if (entry?.[1] && entry[2]) described.set(join(folder, entry[1]), entry[2]);
  }
  return described;
}

const described = describedFiles(readFileSync(join(root, "STRUCTURE.md"), "utf8"));
const present = DESCRIBED.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
);

test("STRUCTURE.md describes every source file", () => {
  expect(present.filter((path) => !described.has(path)).sort()).toEqual([]);
});

test("STRUCTURE.md describes no file that is not there", () => {
  const known = new Set(present);
  const stale = [...described.keys()].filter(
    (path) => DESCRIBED.some((folder) => path.startsWith(`${folder}/`)) && !known.has(path),
  );
  expect(stale).toEqual([]);
});
