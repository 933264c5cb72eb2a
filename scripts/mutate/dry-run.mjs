// Runs each test file without a mutant: how long it takes, which mutants it reaches.
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inParallel } from "./pool.mjs";
import { runTests } from "./test-process.mjs";

/** Of one test file without mutants: nothing of ours takes longer. */
const TIMEOUT_MS = 300_000;

/**
 * Runs each test file alone, no mutant active. Gives by test file how long it took and how often it
 * reached which mutant, and what the files said that failed: these say nothing about mutants.
 */
export async function dryRun(setting, tests, { folder, env, workers, onDone }) {
  const failures = [];
  const runs = await inParallel(workers, [...tests.entries()], async ([index, path]) => {
    const coverage = join(folder, `coverage-${index}.json`);
    const children = join(folder, `children-${index}.txt`);
    // Some tests start programs as another user.
    writeFileSync(children, "");
    chmodSync(children, 0o666);
    const options = {
      timeoutMs: TIMEOUT_MS,
      env: { ...env, MUTATION_COVERAGE: coverage, MUTATION_CHILDREN: children },
    };
    let run = await runTests(setting, [path], options);
    // Once more: on a machine that does other things a test may fail by itself.
    if (run.outcome !== "passed") run = await runTests(setting, [path], options);
    if (run.outcome !== "passed")
      failures.push(`${path} ${run.outcome}:\n${run.output.slice(-3000)}`);
    onDone(path);
    const passed = run.outcome === "passed";
    return { path, passed, tookMs: run.tookMs, reached: listReached(coverage, children) };
  });
  return { runs: runs.filter(({ passed }) => passed), failures };
}

/** Mutant ids with their count; those that only a process of the test reached have none: Infinity. */
function listReached(coverage, children) {
  const counts = existsSync(coverage) ? JSON.parse(readFileSync(coverage, "utf8")) : {};
  const reached = new Map(Object.entries(counts));
  const lines = readFileSync(children, "utf8").split("\n");
  for (const id of lines.filter((line) => line !== "")) {
    if (!reached.has(id)) reached.set(id, Number.POSITIVE_INFINITY);
  }
  return reached;
}
