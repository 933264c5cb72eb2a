// Run by `bun test`: runs the tests that reach a mutant, one mutant after the other, all in this process.
import { test as hostTest } from "bun:test";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { switchboard } from "./load-mutants.ts";
import { topFolder } from "./sources.mjs";
import { beginFile, prepare, type RegisteredTest, registered } from "./test-registry.ts";

interface Plan {
  readonly tests: string;
  readonly files: readonly string[];
  readonly mutants: readonly { readonly id: string; readonly file: string }[];
  /** Tests that fail with no mutant active, here. */
  readonly banned: readonly string[];
  /** By source, the test files that are about it. */
  readonly own: Readonly<Record<string, readonly string[]>>;
  /** For the other tests: none begins when those before it take longer than this without the mutant. */
  readonly budgetMs: number;
  readonly coverage: string;
  /** What `explored` found so far, line by line: a process after this one goes on there. */
  readonly explored: string;
  readonly results: string;
  readonly heartbeat: string;
  readonly children: string;
}

interface TestCoverage {
  readonly id: string;
  readonly file: string;
  readonly tookMs: number;
  readonly reached: Readonly<Record<string, number>>;
}

interface Coverage {
  /** Reached while files were loaded, or prepared what their tests share. */
  readonly atLoad: readonly string[];
  readonly tests: readonly TestCoverage[];
}

class TimedOut extends Error {}

const LONG_MS = 2 ** 30;
const plan: Plan = JSON.parse(readFileSync(process.env.MUTATION_PLAN ?? "", "utf8"));
const counts = switchboard.mutantCoverage ?? { static: {}, perTest: {} };

hostTest("screening", screen, LONG_MS);

async function screen(): Promise<void> {
  for (const file of plan.files) {
    beginFile(file);
    beat("loading", 120_000);
    await import(join(plan.tests, file));
  }
  if (!existsSync(plan.coverage)) writeFileSync(plan.coverage, JSON.stringify(await explored()));
  const coverage: Coverage = JSON.parse(readFileSync(plan.coverage, "utf8"));
  const atLoad = new Set(coverage.atLoad);
  const known = new Map(coverage.tests.map((one) => [one.id, one]));
  const worth = measureWorth();
  for (const { id, file } of plan.mutants) {
    const reaching = registered
      .filter(({ id: test }) => known.get(test)?.reached[id] !== undefined)
      .filter(({ id: test }) => !plan.banned.includes(test));
    const verdict = atLoad.has(id)
      ? { status: "undecided" }
      : await screened({ id, file }, ordered(reaching, file));
    say({ id, ...verdict });
  }

  function ordered(tests: readonly RegisteredTest[], file: string): readonly TestToRun[] {
    let sumMs = 0;
    const weighed = tests.flatMap((test) => {
      const facts = known.get(test.id);
      return facts === undefined ? [] : [{ test, facts, worth: worth.of(file, facts) }];
    });
    const own = plan.own[file] ?? [];
    const isOwn = ({ test }: TestToRun) => own.includes(test.file);
    const byWorth = weighed.sort((one, other) => other.worth - one.worth);
    const others = byWorth.filter((one) => !isOwn(one));
    const withinBudget = others.filter(({ facts }) => {
      sumMs += facts.tookMs;
      return sumMs - facts.tookMs < plan.budgetMs;
    });
    return [...byWorth.filter(isOwn), ...withinBudget];
  }

  async function screened(
    { id, file }: { readonly id: string; readonly file: string },
    tests: readonly TestToRun[],
  ): Promise<{ status: string; by?: string }> {
    const hits = Math.max(0, ...tests.map(({ facts }) => facts.reached[id] ?? 0));
    for (const { test, facts } of tests) {
      Object.assign(switchboard, { hitCount: 0, hitLimit: Math.max(100_000, hits * 100) });
      await prepare(test);
      activate(id);
      const outcome = await runTest(test, limitMs(facts), id);
      const endless = (switchboard.hitCount ?? 0) > (switchboard.hitLimit ?? 0);
      activate(undefined);
      worth.remember(file, facts, outcome === "failed");
      if (outcome === "passed" && !endless) continue;
      if (outcome === "timed out") leave({ id, status: "undecided" });
      // What the mutant did to this process may fail the test too: then it says nothing about the mutant.
      const without = await runTest(test, limitMs(facts), "no mutant");
      if (without !== "passed") leave({ id, status: "undecided", banned: test.id });
      return { status: endless ? "timed out" : "killed", by: test.file };
    }
    return { status: tests.length === 0 ? "undecided" : "survived" };
  }
}

interface TestToRun {
  readonly test: RegisteredTest;
  readonly facts: TestCoverage;
  readonly worth: number;
}

/** Which mutants each test reaches, and how long it takes. */
async function explored(): Promise<Coverage> {
  const tests: TestCoverage[] = readLines(plan.explored).map((line) => JSON.parse(line));
  const isDone = new Set([...plan.banned, ...tests.map(({ id }) => id)]);
  for (const test of registered) {
    // In each process, of the tests that are done too: what this reaches counts as reached at load.
    await prepare(test);
    if (isDone.has(test.id)) continue;
    const programs = readLines(plan.children).length;
    switchboard.currentTestId = test.id;
    const startedAt = performance.now();
    const outcome = await runTest(test, 120_000, "no mutant");
    const tookMs = performance.now() - startedAt;
    delete switchboard.currentTestId;
    const byPrograms = Object.fromEntries(
      readLines(plan.children)
        .slice(programs)
        .map((id) => [id, 1]),
    );
    const reached = { ...byPrograms, ...counts.perTest[test.id] };
    if (outcome === "passed") {
      tests.push({ id: test.id, file: test.file, tookMs, reached });
      appendFileSync(plan.explored, `${JSON.stringify(tests.at(-1))}\n`);
    } else console.log(`Not screened with, as it ${outcome} here: ${test.id}`);
  }
  return { atLoad: Object.keys(counts.static), tests };
}

function limitMs({ tookMs }: TestCoverage): number {
  return 20_000 + 20 * tookMs;
}

async function runTest(
  test: RegisteredTest,
  limit: number,
  mutant: string,
): Promise<"passed" | "failed" | "timed out"> {
  beat(`${mutant} ${test.id}`, limit, test.id);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut()), limit);
  });
  try {
    await Promise.race([test.run(), late]);
    return "passed";
  } catch (error) {
    return error instanceof TimedOut ? "timed out" : "failed";
  } finally {
    clearTimeout(timer);
  }
}

/** Programs that tests start take the mutant from the environment. */
function activate(id: string | undefined): void {
  switchboard.activeMutant = id;
  if (id === undefined) delete process.env.__STRYKER_ACTIVE_MUTANT__;
  else process.env.__STRYKER_ACTIVE_MUTANT__ = id;
}

/** Which tests found most mutants of a file for their time; those of its folder are expected to. */
function measureWorth() {
  const found = new Map<string, number>();
  const tried = new Map<string, number>();
  const add = (counter: Map<string, number>, key: string) =>
    counter.set(key, (counter.get(key) ?? 0) + 1);
  return {
    of(file: string, { id, file: testFile, tookMs }: TestCoverage): number {
      const key = `${file} ${id}`;
      const own = topFolder(testFile) === topFolder(file) ? 2 : 1;
      return ((found.get(key) ?? 0) + own) / ((tried.get(key) ?? 0) + 5) / (tookMs + 1);
    },
    remember(file: string, { id }: TestCoverage, failed: boolean): void {
      add(tried, `${file} ${id}`);
      if (failed) add(found, `${file} ${id}`);
    },
  };
}

function readLines(path: string): readonly string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function say(line: object): void {
  appendFileSync(plan.results, `${JSON.stringify(line)}\n`);
}

/** Says so, and leaves the rest to another process. */
function leave(line: object): never {
  say({ ...line, left: true });
  process.exit(1);
}

/** What is done now, and how long it may take. */
function beat(what: string, limit: number, test?: string): void {
  const until = Date.now() + limit + 10_000;
  const written = `${plan.heartbeat}.new`;
  writeFileSync(written, `${JSON.stringify({ what, until, test })}\n`);
  renameSync(written, plan.heartbeat);
}
