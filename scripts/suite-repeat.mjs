// What runs once more, alone, of a suite that failed, and what is to be thought of it then.
import { countOutcomes, parseTests, testArgs } from "./suite-run.mjs";

/** Bun's title for what fails outside of a test: a hook. */
const NO_TEST = "(unnamed)";

/**
 * What repeats a failed run: the files in which a test failed, so that a test that is unsteady elsewhere says
 * nothing of these. All of the suite where bun's report doesn't show in which test each failure was: after a
 * crash, for a hook, for a file that can't be loaded. Passes may be missing: of a long report a busy machine
 * loses lines. `failing` has the titles, and `expected` those that the repetition must show to be believed.
 */
export function planRepeat(suite, result) {
  const first = countOutcomes(suite, result);
  const failed = parseTests(result).filter(({ outcome }) => outcome === "fail");
  const failing = failed.map(({ title }) => title);
  const isTold = failed.length === first.failed && first.passed > 0 && !failing.includes(NO_TEST);
  if (suite.repeats === "whole" || !isTold) return { suite, first, failing, expected: [] };
  const files = [...new Set(failed.map(({ file }) => file))];
  const again = { ...suite, args: testArgs(files.map((file) => `./${file}`)) };
  return { suite: again, first, failing, expected: failing };
}

/**
 * By how much the totals change, the titles that passed only now, and those that fail still. What ran again in
 * part has as many tests as before: those that pass now have failed then.
 */
export function afterRepeat({ suite, first, failing, expected }, result) {
  const again = countOutcomes(suite, result);
  const tests = parseTests(result);
  const titles = (which) =>
    tests.filter(({ outcome }) => outcome === which).map(({ title }) => title);
  const passing = titles("pass");
  const hasPassed = (title) => passing.includes(title);
  if (again.failed === 0 && !expected.every(hasPassed))
    return { change: { passed: 0, failed: 0 }, unsteady: [], failing };
  const failed = again.failed - first.failed;
  return {
    change: {
      passed: expected.length > 0 ? first.failed - again.failed : again.passed - first.passed,
      failed,
    },
    unsteady: failing.filter(hasPassed),
    failing: titles("fail"),
  };
}
