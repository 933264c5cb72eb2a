// What runs once more, alone, of a suite that failed, and what is to be thought of it then.
import { countsOf, testArgs, testsOf } from "./suite-run.mjs";

/** Bun's title for what fails outside of a test: a hook. */
const NO_TEST = "(unnamed)";

/**
 * What repeats a failed run: the files in which a test failed, so that a test that is unsteady elsewhere says
 * nothing of these. All of the suite where bun's report doesn't show in which test each failure was: after a
 * crash, for a hook, for a file that can't be loaded. `first` is what the first run counted of the same part,
 * `failing` has the titles, and `expected` those that the repetition must show to be believed.
 */
export function repeatOf(suite, result) {
  const first = countsOf(suite, result);
  const tests = testsOf(result);
  const failed = tests.filter(({ outcome }) => outcome === "fail");
  const failing = failed.map(({ title }) => title);
  const isTold =
    failed.length === first.failed &&
    tests.length === first.failed + first.passed &&
    !failing.includes(NO_TEST);
  if (suite.repeats === "whole" || !isTold) return { suite, first, failing, expected: [] };
  const files = [...new Set(failed.map(({ file }) => file))];
  const inFiles = tests.filter(({ file }) => files.includes(file));
  return {
    suite: { ...suite, args: testArgs(files.map((file) => `./${file}`)) },
    first: { passed: inFiles.length - failed.length, failed: failed.length },
    failing,
    expected: failing,
  };
}

/** The counts that take the place of `first`, the titles that passed only now, and those that fail still. */
export function afterRepeat({ suite, first, failing, expected }, result) {
  const again = countsOf(suite, result);
  const tests = testsOf(result);
  const titles = (which) =>
    tests.filter(({ outcome }) => outcome === which).map(({ title }) => title);
  const passing = titles("pass");
  const hasPassed = (title) => passing.includes(title);
  if (again.failed > 0) {
    return { counts: again, unsteady: failing.filter(hasPassed), failing: titles("fail") };
  }
  if (!expected.every(hasPassed)) return { counts: first, unsteady: [], failing };
  return { counts: again, unsteady: failing, failing: [] };
}
