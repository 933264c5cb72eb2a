// Runs mutants, each with the test files that reach it.
import { findImportingTests, topFolder } from "./sources.mjs";
import { runTests } from "./test-process.mjs";

/** Of tests for one mutant that are not about its source. Most of those that are noticed are noticed by the first few tests. */
export const OTHERS_MS = 1_500;

/** Test files that together take less than this share a process: starting one takes a tenth of a second. */
const BATCH_MS = 1_000;

/** A loop that goes on for ever is found out by count before it is by time. */
const hitLimit = (hits) => Math.max(100_000, hits * 100);

/**
 * Runs mutants, each in processes of its own, by the test files that reach it: first those that found
 * most of the mutants of the same file for the time that they take, which those of its folder are
 * expected to do.
 */
export function mutantRuns(setting, tests, { env, othersMs }) {
  const found = new Map();
  const tried = new Map();
  const own = new Map();

  /** Gives `{ status, killedBy, output }`; `status` is "killed", "timed out", "survived" or "no test". */
  return async function runMutant(mutant) {
    const reaching = tests.filter(({ reached }) => reached.has(mutant.id));
    if (reaching.length === 0) return { status: "no test", killedBy: null, output: "" };
    const hits = Math.max(...reaching.map(({ reached }) => reached.get(mutant.id)));
    const worth = ({ path, tookMs }) => {
      const key = `${mutant.file} ${path}`;
      const start = topFolder(path) === topFolder(mutant.file) ? 4 : 1;
      return ((found.get(key) ?? 0) + start) / ((tried.get(key) ?? 0) + 5) / tookMs;
    };
    const byWorth = [...reaching].sort((one, other) => worth(other) - worth(one));
    let output = "";
    for (const batch of batches(withinBudget(byWorth, mutant.file))) {
      const run = await runBatch(batch, {
        ...env,
        MUTATION_FILE: mutant.file,
        __STRYKER_ACTIVE_MUTANT__: mutant.id,
        ...(Number.isFinite(hits) ? { MUTATION_HIT_LIMIT: String(hitLimit(hits)) } : {}),
      });
      output += run.output;
      const culprit = run.outcome === "passed" ? null : lastFile(run.output, batch);
      remember(mutant.file, batch, culprit);
      if (run.outcome === "passed") continue;
      const endless = run.outcome === "timed out" || run.output.includes("Hit count limit reached");
      const status = endless ? "timed out" : "killed";
      return { status, killedBy: culprit, output };
    }
    return { status: "survived", killedBy: null, output };
  };

  /** Those that import the source, then of the others as many as the time allows: a process of its own is dear. */
  function withinBudget(ordered, source) {
    const paths = tests.map(({ path }) => path);
    if (!own.has(source)) own.set(source, findImportingTests(setting, source, paths));
    const isOwn = ({ path }) => own.get(source).has(path);
    let sumMs = 0;
    const others = ordered.filter((test) => {
      if (isOwn(test)) return false;
      sumMs += test.tookMs;
      return sumMs - test.tookMs < othersMs;
    });
    return [...ordered.filter(isOwn), ...others];
  }

  /** A mutant ran out of time only if the same tests without it, now, take a third of that time at most. */
  async function runBatch(batch, mutantEnv) {
    const paths = batch.map(({ path }) => path);
    let timeoutMs = 20_000 + 10 * batch.reduce((sum, { tookMs }) => sum + tookMs, 0);
    for (;;) {
      const run = await runTests(setting, paths, { timeoutMs, env: mutantEnv });
      if (run.outcome !== "timed out") return run;
      const without = await runTests(setting, paths, { timeoutMs: 10 * timeoutMs, env });
      if (3 * without.tookMs < timeoutMs) return run;
      timeoutMs = 10 * without.tookMs;
    }
  }

  function remember(file, batch, culprit) {
    for (const { path } of batch) {
      const key = `${file} ${path}`;
      tried.set(key, (tried.get(key) ?? 0) + 1);
      if (path === culprit) found.set(key, (found.get(key) ?? 0) + 1);
      if (path === culprit) return;
    }
  }
}

/** In their order, each batch below BATCH_MS unless it is a single file. */
function batches(tests) {
  const result = [];
  let sum = Number.POSITIVE_INFINITY;
  for (const test of tests) {
    if (sum + test.tookMs > BATCH_MS) {
      result.push([]);
      sum = 0;
    }
    result.at(-1).push(test);
    sum += test.tookMs;
  }
  return result;
}

/** The file that ran when the process ended: bun names each file before its tests. */
function lastFile(output, batch) {
  const named = batch.map(({ path }) => [output.lastIndexOf(`${path}:\n`), path]);
  return named.sort(([one], [other]) => other - one)[0][1];
}
