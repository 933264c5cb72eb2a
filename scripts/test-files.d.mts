// Types of test-files.mjs.

/** The tests that walk through the main job, one on each real host. */
export const MAIN_JOB: readonly string[];

/** The tests that compare times or memory, and run alone. */
export const RUNS_ALONE: readonly string[];

/** A test file by its path from the root, with the first ring that runs it. */
export interface TestFile {
  readonly path: string;
  readonly ring: "test" | "hosts" | "long";
}

export function testFiles(): readonly TestFile[];

/** Test files that lead to one of these files, those with the fewest steps to it first. */
export function testsThatReach(
  paths: readonly string[],
): readonly (TestFile & { readonly steps: number })[];
