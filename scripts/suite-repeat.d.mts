// Types of suite-repeat.mjs.
import type { Counts, Result, Suite } from "./suite-run.mjs";

/** A part of a suite that runs once more. */
export interface Repeat {
  readonly suite: Suite;
  /** What the first run counted of the suite. */
  readonly first: Counts;
  /** Titles of the tests that failed in the first run. */
  readonly failing: readonly string[];
  /** Those of them that the repetition must show to be believed. */
  readonly expected: readonly string[];
}

/** What repeats a failed run. */
export function planRepeat(suite: Suite, result: Result): Repeat;

/** By how much the totals change, the titles that passed only now, and those that fail still. */
export function afterRepeat(
  repeat: Repeat,
  result: Result,
): {
  readonly change: Counts;
  readonly unsteady: readonly string[];
  readonly failing: readonly string[];
};
