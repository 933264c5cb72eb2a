import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  MAIN_JOB,
  RUNS_ALONE,
  testFiles,
  testsThatReach,
} from "../../../../scripts/test-files.mjs";

const ROOT = join(import.meta.dir, "../../../..");
const files = testFiles();
const findRing = (path: string) => files.find((file) => file.path === path)?.ring;

test("each test file is of one ring, and every ring has some", () => {
  expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
  expect(new Set(files.map(({ ring }) => ring))).toEqual(new Set(["test", "hosts", "long"]));
});

test("npm test has the kernel, storage and history, and of the real hosts the main job alone", () => {
  const kernel = files.filter(({ path }) =>
    /^packages\/plugin\/test\/(?:kernel|context|projection|session|storage|history)\//.test(path),
  );
  expect(kernel.length).toBeGreaterThan(100);
  expect(kernel.filter(({ ring }) => ring !== "test")).toEqual([]);
  for (const path of MAIN_JOB) {
    expect(existsSync(join(ROOT, path)), path).toBe(true);
    expect(findRing(path)).toBe("test");
  }
});

test("what runs alone is there", () => {
  expect(RUNS_ALONE.filter((path) => findRing(path) === undefined)).toEqual([]);
});

test("what leads to a real host or to a program such as tmux is for test:hosts", () => {
  expect(findRing("packages/e2e/test/history.test.ts")).toBe("hosts");
  expect(findRing("packages/e2e/test/cli/doctor.test.ts")).toBe("hosts");
  expect(findRing("packages/plugin/test/features/team/create-team.test.ts")).toBe("hosts");
  expect(findRing("packages/e2e/test/kills.long.test.ts")).toBe("long");
});

test("CI runs both rings, one after the other", () => {
  const lines = readFileSync(join(ROOT, ".ci/run"), "utf8").split("\n");
  const commands = lines.filter((line) => /^npm (?:run )?test/.test(line));
  expect(commands).toEqual(["npm test", "npm run test:hosts"]);
});

test("npm run quick takes the tests that are nearest by imports first, whatever folder they are in", () => {
  const found = testsThatReach(["packages/plugin/src/features/history/time-mark.ts"]);
  expect(found.map(({ steps }) => steps)).toEqual(
    found.map(({ steps }) => steps).toSorted((a, b) => a - b),
  );
  expect(found[0]?.path).toStartWith("packages/plugin/test/features/history/");
  expect(found.some(({ ring }) => ring === "hosts")).toBe(true);
  expect(testsThatReach(["docs/history.md"])).toEqual([]);
});
