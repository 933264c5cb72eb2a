import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type LayerFile, layersTable, withLayers } from "../../../scripts/layers.mjs";
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

test("the table of LAYERS.md is what `npm run generate` writes", () => {
  const layers = readFileSync(resolve(page, "../LAYERS.md"), "utf8");
  const upToDate = layers === withLayers(layers);
  expect(upToDate ? "up to date" : "out of date: run `npm run generate`").toBe("up to date");
});

test("a layer's row has what its comment says and what it imports, few files of a feature by name", () => {
  const layerFile = (
    path: string,
    folder: string | null,
    imports: readonly string[],
  ): LayerFile => ({
    ...{ path, file: "A file.", folder, imports },
  });
  const four = ["a", "b", "c", "d"].map((name) => `features/wide/${name}.ts`);
  const files = [
    layerFile("features/one/create-one.ts", "One.", [
      "storage/database.ts",
      "features/two/table.ts",
      ...four,
    ]),
    layerFile("features/one/settings.ts", null, [
      "features/one/create-one.ts",
      "features/two/settings.ts",
    ]),
    layerFile("storage/database.ts", "Rows.", []),
    layerFile("index.ts", null, ["storage/database.ts"]),
    layerFile("features/list.ts", null, ["storage/database.ts", "features/one/create-one.ts"]),
  ];
  expect(layersTable(files).split("\n")).toEqual([
    "| layer | what | imports |",
    "|---|---|---|",
    "| `storage/` | Rows. | nothing |",
    "| `features/one/` | One. | storage, two (settings, table), wide |",
    "| `features/list.ts` | A file. | storage, each feature |",
    "| `index.ts` | A file. | storage |",
  ]);
});

test("STRUCTURE.md stays short", () => {
  expect(readFileSync(page, "utf8").split("\n").length).toBeLessThan(150);
});

test("the folder that STRUCTURE.md names as an example is listed, and one that is not there is an error", () => {
  const [, folder = ""] = /`npm run structure -- (\S+)`/.exec(readFileSync(page, "utf8")) ?? [];
  const list = (name: string) =>
    Bun.spawnSync(["node", "scripts/structure.mjs", name], { cwd: resolve(page, "..") });
  const there = list(folder);
  expect(there.stdout.toString().split("\n").length).toBeGreaterThan(5);
  expect(there.exitCode).toBe(0);
  const missing = list("packages/plugin/src/nowhere");
  expect(missing.stderr.toString()).toContain("has no source file");
  expect(missing.exitCode).toBe(1);
});

test("ARCHITECTURE.md has at most 15 kB", () => {
  const architecture = readFileSync(resolve(page, "../ARCHITECTURE.md"), "utf8");
  expect(Buffer.byteLength(architecture)).toBeLessThanOrEqual(15 * 1024);
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
