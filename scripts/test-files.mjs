// Every test file, and the first ring of tests that runs it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { reachedFrom } from "./imports.mjs";
import { root } from "./install.mjs";

const PACKAGES = ["plugin", "pi", "cli", "e2e"];

/** The tests that walk through the main job, one on each real host: `npm test` has these of all on the hosts. */
export const MAIN_JOB = [
  "packages/e2e/test/main-job.test.ts",
  "packages/e2e/test/pi/main-job.test.ts",
];

/** The tests that compare times of the processor or memory, which suites beside them would change: they run alone. */
export const RUNS_ALONE = [
  "packages/cli/test/data/estimate.long.test.ts",
  "packages/cli/test/data/speed.test.ts",
  "packages/plugin/test/sources/glob-cost.test.ts",
];

/** What starts a real host, or a program that is not Node's: a test that leads to it is for `test:hosts`. */
const HOST_STARTERS = [
  "packages/e2e/src/host/host.ts",
  "packages/e2e/src/host/terminal-ui.ts",
  "packages/e2e/src/pi/pi.ts",
  "packages/e2e/src/package/registry.ts",
  "packages/e2e/test/package/stage.ts",
  "packages/plugin/test/sources/real-host.ts",
  "scripts/system-tools.mjs",
];
/** Elsewhere the host's binary is just the Bun that runs a program; the test bench starts hosts with it. */
const STARTER_OF_THE_BENCH = "scripts/host-binary.mjs";

/** Paths from the root, with `ring`: "test", "hosts" or "long". */
export function testFiles() {
  return PACKAGES.flatMap((name) => testsBelow(`packages/${name}/test`)).map((path) => ({
    path,
    ring: findRing(path),
  }));
}

/** The first ring that runs a file; the later ones run it as well. */
export function findRing(path) {
  if (path.endsWith(".long.test.ts")) return "long";
  if (MAIN_JOB.includes(path)) return "test";
  const starters = path.startsWith("packages/e2e/")
    ? [...HOST_STARTERS, STARTER_OF_THE_BENCH]
    : HOST_STARTERS;
  const reached = reachedFrom(join(root, path));
  return starters.some((starter) => reached.has(join(root, starter))) ? "hosts" : "test";
}

/** Test files that lead to one of these files, those with the fewest steps to it first. */
export function testsThatReach(paths) {
  const wanted = paths.map((path) => join(root, path));
  const found = testFiles().flatMap(({ path, ring }) => {
    const reached = reachedFrom(join(root, path));
    const steps = Math.min(...wanted.map((one) => reached.get(one) ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(steps) ? [{ path, ring, steps }] : [];
  });
  return found.sort((one, other) => one.steps - other.steps);
}

function testsBelow(place) {
  return readdirSync(join(root, place), { recursive: true })
    .map((name) => `${place}/${name}`.replaceAll("\\", "/"))
    .filter((path) => /\.test\.tsx?$/.test(path))
    .sort();
}
