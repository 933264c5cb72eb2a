import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterRepeat, planRepeat } from "../../../scripts/suite-repeat.mjs";
import { countOutcomes, runSuite, type Suite, testArgs } from "../../../scripts/suite-run.mjs";

const ROOT = join(import.meta.dir, "../../..");
const folder = mkdtempSync(join(tmpdir(), "session-runtime-repeat-"));
afterAll(() => rmSync(folder, { recursive: true }));
let made = 0;

/** A file of tests in a suite, as npm test names it. */
function file(body: string): string {
  made += 1;
  const path = join(folder, `part-${made}.test.ts`);
  const head = `import { beforeAll, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
const isFirst = !existsSync(${JSON.stringify(`${path}.ran`)});
writeFileSync(${JSON.stringify(`${path}.ran`)}, "");
`;
  writeFileSync(path, head + body);
  return `./${relative(ROOT, path)}`;
}

function createSuite(...paths: readonly string[]): Suite {
  return {
    ...{ name: "a suite", counts: "bun", repeats: "files", command: process.execPath },
    // What an agent's terminal leaves out, npm test needs; the reporter of a workflow puts headings in groups.
    env: { BUN_BE_BUN: "1", AGENT: "", CLAUDECODE: "", GITHUB_ACTIONS: "" },
    args: testArgs(paths),
  };
}

const sound = () => file(`test("sound", () => {}); test("is sound too", () => {});`);
/** So many that bun lists at the end what was skipped and what failed. */
const MANY = 30;
const many = () =>
  file(`for (let at = 0; at < ${MANY}; at += 1) test("one of many", () => {});
    test.skip("one that is skipped", () => {});`);
const lateOnce = () =>
  file(`test("group > late", () => expect(isFirst).toBe(false)); test("early", () => {});`);

async function runTwice(suite: Suite) {
  const repeat = planRepeat(suite, await runSuite(suite));
  return { repeat, after: afterRepeat(repeat, await runSuite(repeat.suite)) };
}

for (const GITHUB_ACTIONS of ["", "true"]) {
  test(`only the files with a failure run once more${GITHUB_ACTIONS && ", in a workflow too"}, and what passes then is unsteady by name`, async () => {
    const [late, other] = [lateOnce(), lateOnce()];
    const suite = createSuite(many(), late, sound(), other);
    const { repeat, after } = await runTwice({ ...suite, env: { ...suite.env, GITHUB_ACTIONS } });
    expect(repeat.suite.args.toSorted()).toEqual(testArgs([late, other]).toSorted());
    expect(repeat.first).toEqual({ passed: MANY + 4, failed: 2 });
    expect(after).toEqual({
      change: { passed: 2, failed: -2 },
      unsteady: ["group > late", "group > late"],
      failing: [],
    });
  });
}

test("what fails again, and what fails only then, stays a failure", async () => {
  const broken = file(`test("broken", () => expect(1).toBe(2));
    test("late", () => expect(isFirst).toBe(false));
    test("early", () => expect(isFirst).toBe(true));`);
  const { repeat, after } = await runTwice(createSuite(many(), broken));
  expect(repeat.first).toEqual({ passed: MANY + 1, failed: 2 });
  expect(after).toEqual({
    change: { passed: 0, failed: 0 },
    unsteady: ["late"],
    failing: ["broken", "early"],
  });
});

test("the whole suite runs once more where no test is named: after a crash, a hook's failure, a file that can't be loaded", async () => {
  const outside = [
    `test("passes", () => {}); if (isFirst) process.kill(process.pid, "SIGKILL");`,
    `beforeAll(() => expect(isFirst).toBe(false)); test("passes", () => {});`,
    `if (isFirst) throw new Error("can't be loaded"); test("passes", () => {});`,
  ];
  for (const body of outside) {
    const suite = createSuite(sound(), file(body));
    const { repeat, after } = await runTwice(suite);
    expect(repeat.suite).toEqual(suite);
    expect(repeat.first.failed).toBe(1);
    expect(repeat.first.passed + after.change.passed).toBe(3);
    expect(repeat.first.failed + after.change.failed).toBe(0);
  }
});

test("a suite that counts as a whole is repeated as a whole", async () => {
  const suite: Suite = { ...createSuite(sound(), lateOnce()), repeats: "whole" };
  const { repeat, after } = await runTwice(suite);
  expect(repeat.suite).toEqual(suite);
  expect(after).toEqual({
    change: { passed: 1, failed: -1 },
    unsteady: ["group > late"],
    failing: [],
  });
});

test("a repetition that does not show the failed test is not believed", async () => {
  const [late, unrelated] = [lateOnce(), sound()];
  const suite = createSuite(late);
  const result = await runSuite(suite);
  const report = result.report.replace(late.slice(2), unrelated.slice(2));
  const repeat = planRepeat(suite, { ...result, report });
  expect(repeat.suite.args).toContain(unrelated);
  expect(afterRepeat(repeat, await runSuite(repeat.suite))).toEqual({
    change: { passed: 0, failed: 0 },
    unsteady: [],
    failing: ["group > late"],
  });
});

test("a test's output is not taken for bun's report", async () => {
  const noisy = file(
    `test("noisy", () => { process.stdout.write("other.test.ts:\\n(fail) other\\n"); expect(isFirst).toBe(false); });`,
  );
  const { repeat, after } = await runTwice(createSuite(sound(), noisy));
  expect(repeat.suite.args).toEqual(testArgs([noisy]));
  expect(after.change).toEqual({ passed: 1, failed: -1 });
});

test("lines that are missing of what passed change nothing: a busy machine loses some of a long report", async () => {
  const late = lateOnce();
  const suite = createSuite(many(), late);
  const result = await runSuite(suite);
  const lines = result.report.split("\n");
  const report = lines.filter((line) => !line.startsWith("(pass)")).join("\n");
  const repeat = planRepeat(suite, { ...result, report });
  expect(repeat.suite.args).toEqual(testArgs([late]));
  const after = afterRepeat(repeat, await runSuite(repeat.suite));
  expect(after.change).toEqual({ passed: 1, failed: -1 });
});

test("a suite that neither passes nor fails a test has failed", async () => {
  const suite = createSuite(file(""));
  expect(countOutcomes(suite, await runSuite(suite))).toEqual({ passed: 0, failed: 1 });
});
