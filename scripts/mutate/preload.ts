// A preload for `bun test`: loads sources with their mutants in them.
/**
 * What it takes from the environment:
 *   MUTATION_SOURCES   the folder of the sources
 *   MUTATION_FOLDER    the folder of the same files with their mutants
 *   MUTATION_FILE      the one file to load from there; all of them if it is not set
 *   MUTATION_COVERAGE  where to write how often each mutant was reached
 *   MUTATION_CHILDREN  where processes that tests start write the mutants that they reach
 *   MUTATION_HIT_LIMIT how often the active mutant may be reached before it counts as an endless loop
 *   MUTATION_TESTS     the folder of the tests, if they are to run with many mutants in this process
 */
import { afterAll } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadMutants, registerTestsHere, switchboard } from "./load-mutants.ts";

loadMutants();

const { MUTATION_HIT_LIMIT, MUTATION_COVERAGE, MUTATION_TESTS } = process.env;
if (MUTATION_TESTS !== undefined) registerTestsHere(MUTATION_TESTS);
if (MUTATION_HIT_LIMIT !== undefined) {
  Object.assign(switchboard, { hitCount: 0, hitLimit: Number(MUTATION_HIT_LIMIT) });
}

// Programs that the tests start with this Bun and this environment load the mutants too.
process.env.BUN_OPTIONS = `--preload ${join(import.meta.dir, "preload-child.ts")}`;

if (MUTATION_COVERAGE !== undefined) {
  const reached: Record<string, number> = {};
  switchboard.mutantCoverage = { static: reached, perTest: {} };
  // Of a preload this runs once, after the last test file.
  afterAll(() => writeFileSync(MUTATION_COVERAGE, JSON.stringify(reached)));
}
