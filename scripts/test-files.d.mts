// Types of test-files.mjs.

/** The tests that walk through the main job, one on each real host. */
export const MAIN_JOB: readonly string[];

/** Paths from the root, with the first ring that runs them. */
export function testFiles(): readonly {
  readonly path: string;
  readonly ring: "test" | "hosts" | "long";
}[];
