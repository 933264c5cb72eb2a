// Runs many mutants in one process: finds most of those that a test notices in a fraction of the time.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OTHERS_MS } from "./mutant-run.mjs";
import { inParallel } from "./pool.mjs";
import { findOwnTests } from "./sources.mjs";
import { startTests } from "./test-process.mjs";

const driver = fileURLToPath(new URL("screening.ts", import.meta.url));
const POLL_MS = 500;

/**
 * Runs mutants, many in one process, each with the tests that reach it. Gives `{ status, killedBy }` by mutant's
 * id. "killed" and "timed out" hold: the test passes right afterwards without the mutant. "undecided" has to run in
 * a process of its own; "survived" may come out as killed there, as what a module keeps can hide a mutant and as not all tests may
 * have had their turn.
 */
export async function screened(setting, mutants, tests, { folder, env, workers, onResult }) {
  const shares = Array.from({ length: workers }, (_, index) =>
    mutants.filter((_mutant, at) => at % workers === index),
  );
  const verdicts = new Map();
  await inParallel(workers, [...shares.entries()], async ([index, share]) => {
    const place = join(folder, `screening-${index}`);
    mkdirSync(place);
    await screenShare(setting, share, tests, {
      place,
      env,
      onResult(result) {
        verdicts.set(result.id, { status: result.status, killedBy: result.by ?? null, output: "" });
        onResult(result);
      },
    });
  });
  return verdicts;
}

async function screenShare(setting, mutants, tests, { place, env, onResult }) {
  const banned = [];
  let rest = mutants;
  writeFileSync(join(place, "explored.txt"), "");
  while (rest.length > 0) {
    const results = await screenSome(setting, rest, tests, { place, env, banned, onResult });
    if (results === null) continue;
    const at = rest[results.length];
    // The process ended at this mutant, or was stopped there.
    if (at !== undefined && !results.at(-1)?.left) {
      results.push({ id: at.id, status: "undecided" });
      onResult(results.at(-1));
    }
    banned.push(...results.flatMap(({ banned: test }) => test ?? []));
    rest = rest.slice(results.length);
  }
}

/** Returns null, and bans a test, if the process ended before all tests had run without a mutant. */
async function screenSome(setting, mutants, files, { place, env, banned, onResult }) {
  const { root, tests } = setting;
  const at = (name) => join(place, name);
  const sources = [...new Set(mutants.map(({ file }) => file))];
  const own = sources.map((source) => [source, [...findOwnTests(setting, source, files)]]);
  const plan = {
    ...{ tests: join(root, tests), files, banned, budgetMs: OTHERS_MS },
    own: Object.fromEntries(own),
    mutants: mutants.map(({ id, file }) => ({ id, file })),
    ...{ coverage: at("coverage.json"), explored: at("explored.txt") },
    ...{ results: at("results.txt"), children: at("children.txt") },
    heartbeat: at("heartbeat.json"),
  };
  writeFileSync(at("plan.json"), JSON.stringify(plan));
  writeFileSync(plan.results, "");
  writeFileSync(plan.heartbeat, "{}\n");
  writeFileSync(plan.children, "");
  // Some tests start programs as another user.
  chmodSync(place, 0o777);
  chmodSync(plan.children, 0o666);
  const run = startTests(root, [driver], {
    ...env,
    MUTATION_PLAN: at("plan.json"),
    MUTATION_TESTS: plan.tests,
    MUTATION_COVERAGE: at("unused.json"),
    MUTATION_CHILDREN: plan.children,
  });
  let shown = 0;
  const showNew = () => {
    const results = readLines(plan.results);
    for (const result of results.slice(shown)) onResult(result);
    shown = results.length;
    return results;
  };
  const watch = setInterval(() => {
    showNew();
    const [{ until }] = readLines(plan.heartbeat);
    if (Date.now() > until) run.kill();
  }, POLL_MS);
  const { output } = await run.ended;
  clearInterval(watch);
  if (existsSync(plan.coverage)) return showNew();
  banned.push(findCulprit(plan, output));
  return null;
}

/**
 * The test that ended the process while no mutant was active, or that it was stopped in: a long one on a busy
 * machine, say. The mutants are screened without it.
 */
function findCulprit({ heartbeat, banned }, output) {
  const [{ test }] = readLines(heartbeat);
  if (test === undefined || banned.includes(test))
    throw new Error(`The tests can't run in one process:\n${output}`);
  console.error(`Not screened with, as it ended the process or took too long: ${test}`);
  return test;
}

/** The whole lines of a file of JSON lines. */
function readLines(path) {
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
