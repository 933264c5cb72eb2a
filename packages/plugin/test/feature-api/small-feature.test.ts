// What a small feature takes: its folder, its line in the list, one document, and `npm run generate`. The rules run
// here; `packages/e2e/test/small-feature.test.ts` has all that is generated, and the whole of `npm run quick`.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { testArgs } from "../../../../scripts/suite-run.mjs";
import { type Copy, copyOfSources } from "./sources-with-feature.ts";

let copy: Copy;
beforeAll(() => {
  copy = copyOfSources();
  copy.addFeature();
});
afterAll(() => copy.remove());

/** Those that a new folder, command or setting concerns. */
const RULES = [
  "architecture.test.ts",
  "documents.test.ts",
  "structure.test.ts",
  "config/resolve.test.ts",
  "feature-api/declared-commands.test.ts",
  "mutation/bars.test.ts",
];

function failing(names: readonly string[]): readonly string[] {
  const files = names.map((name) => `./packages/plugin/test/${name}`);
  const { status, output } = copy.run(process.execPath, ...testArgs(files));
  const lines = output.matchAll(/^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/gm);
  const failed = [...lines].map(([, title]) => String(title));
  if (status !== 0 && failed.length === 0) throw new Error(output);
  return [...new Set(failed)];
}

test("a command with one setting fails no rule once `npm run generate` has written what is generated", () => {
  expect(failing(["structure.test.ts"])).toEqual([
    "STRUCTURE.md is what `npm run generate` writes",
    "the table of LAYERS.md is what `npm run generate` writes",
  ]);
  const written = [
    copy.run("node", "scripts/structure.mjs"),
    copy.run("node", "scripts/layers.mjs"),
    copy.run(process.execPath, "scripts/config-schema.mjs"),
  ];
  expect(written.map(({ status, output }) => (status === 0 ? "" : output))).toEqual(["", "", ""]);
  expect(copy.changed()).toEqual([
    "LAYERS.md",
    "STRUCTURE.md",
    "packages/plugin/config.schema.json",
  ]);
  expect(failing(RULES)).toEqual([]);
});
