import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const preload = join(import.meta.dir, "instrument.ts");

/** Runs a fixture under the host's Bun, in a working directory of its own. */
function run(fixture: string, preloads: readonly string[]) {
  const cwd = mkdtempSync(join(tmpdir(), "coverage-"));
  try {
    const file = join(import.meta.dir, "fixtures", fixture);
    const arguments_ = preloads.flatMap((path) => ["--preload", path]);
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, "test", ...arguments_, file], {
      cwd,
      env: { ...process.env, BUN_BE_BUN: "1", COVERAGE_FOLDERS: "test/coverage/fixtures/source" },
    });
    return { exitCode, output: stderr.toString() };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

test("a run that leaves branches out fails and lists them by file and line", () => {
  const { exitCode, output } = run("partial.run.ts", [preload]);
  expect(output).toContain(" 1 pass");
  const gaps = output
    .split("\n")
    .flatMap((line) => line.match(/source\/(.*): never run: (.*)/)?.[0] ?? []);
  expect(gaps).toEqual([
    "source/sign.ts:4: never run: statement",
    "source/sign.ts:4: never run: branch 1 of 2 (if)",
    "source/sign.ts:5: never run: branch 2 of 2 (cond-expr)",
    "source/unused.ts:1: never run: function unused",
    "source/unused.ts:2: never run: statement",
    "source/unused.ts:2: never run: branch 1 of 2 (binary-expr)",
    "source/unused.ts:2: never run: branch 2 of 2 (binary-expr)",
  ]);
  expect(output).toContain("coverage: 2 of 6 branches in 3 files, 7 gaps");
  expect(exitCode).toBe(1);
});

test("a complete run passes", () => {
  const { exitCode, output } = run("complete.run.ts", [preload]);
  expect(output).toContain("coverage: 6 of 6 branches in 3 files, 0 gaps");
  expect(exitCode).toBe(0);
});

test("without the preload nothing is checked", () => {
  const { exitCode, output } = run("partial.run.ts", []);
  expect(output).not.toContain("coverage:");
  expect(exitCode).toBe(0);
});
