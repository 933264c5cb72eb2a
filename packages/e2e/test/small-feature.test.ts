// A small feature in a copy of the sources: its folder, its line in the list, one document, and then two commands.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { type Copy, copyOfSources } from "../../plugin/test/feature-api/sources-with-feature.ts";

// Types and forty test files, on a machine that may be busy.
setDefaultTimeout(900_000);

let copy: Copy;
beforeAll(() => {
  // Both commands run in its Bun: it is fetched first, where it is missing.
  hostBinary();
  copy = copyOfSources();
  // What has changed since is what quick looks at.
  git("init", "--quiet");
  git("add", "--all");
  git(...IDENTITY, "commit", "--quiet", "--message", "As it is");
  copy.addFeature();
});
afterAll(() => copy.remove());

const IDENTITY = [
  "-c",
  "user.name=test",
  "-c",
  "user.email=test@example.com",
  "-c",
  "commit.gpgSign=false",
];

function git(...args: readonly string[]): void {
  const { status, output } = copy.run("git", ...args);
  if (status !== 0) throw new Error(output);
}

test("a command with one setting passes `npm run quick` after `npm run generate`, with nothing else edited", () => {
  const generated = copy.run("npm", "run", "generate");
  expect(generated.status === 0 ? "" : generated.output).toBe("");
  const other = copy.changed().filter((path) => !GENERATED.includes(path));
  expect(other).toEqual([]);
  const quick = copy.run("npm", "run", "quick");
  expect(quick.status === 0 ? "" : quick.output).toBe("");
  expect(quick.output).toContain("■ types: 1 passed, 0 failed");
});

/** The pages of benchmarks change with their own inputs only. */
const GENERATED = [
  "LAYERS.md",
  "STRUCTURE.md",
  "docs/benchmarks.md",
  "docs/lab/benchmarks.md",
  "packages/plugin/config.schema.json",
];
