import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { likelyPercents, takeSample } from "../../../../scripts/mutate/sample.mjs";

const script = resolve(import.meta.dir, "../../../../scripts/mutate.mjs");

const SOURCES = {
  "limits.ts": `
    export function isOver(value: number, limit: number): boolean {
      return value > limit;
    }
    export function countTo(limit: number): number {
      let count = 0;
      while (count < limit) count += 1;
      return count;
    }
    export function lengthOf(text: string | undefined): number {
      return text?.length ?? 0;
    }
  `,
  "small.ts": `
    export function untested(flag: boolean): boolean {
      return !flag;
    }
    export function sum(values: readonly number[]): number {
      if (values.length === 0) return 0;
      return values.reduce((total, value) => total + value, 0);
    }
  `,
};

const TESTS = {
  "limits.test.ts": `
    import { describe, expect, test } from "bun:test";
    import { countTo, isOver, lengthOf } from "../source/limits.ts";
    describe.each([1])("over %d", (limit) => {
      test.each([[2, true], [0, false]])("%d", (value, over) => {
        expect(isOver(value, limit)).toBe(over);
      });
    });
    test("counts", () => expect([countTo(0), countTo(3)]).toEqual([0, 3]));
    test("length", () => expect(lengthOf("abc")).toBe(3));
  `,
  "slow.test.ts": `
    import { expect, test } from "bun:test";
    import { isOver } from "../source/limits.ts";
    test("the bound itself", () => expect(isOver(1, 1)).toBe(false));
  `,
  "ending.test.ts": `
    import { expect, test } from "bun:test";
    import { countTo } from "../source/limits.ts";
    test("ends a process that has many mutants", () => {
      if (process.env.MUTATION_PLAN !== undefined) process.exit(3);
      expect(countTo(1)).toBe(1);
    });
  `,
  "small.test.ts": `
    import { expect, test } from "bun:test";
    test("sum, by a program of the test's own", () => {
      const { stdout } = Bun.spawnSync([process.execPath, import.meta.dir + "/sum-program.ts"], {
        env: process.env,
      });
      expect(stdout.toString().trim()).toBe("0 6");
    });
  `,
  "sum-program.ts": `
    import { sum } from "../source/small.ts";
    console.log(sum([]), sum([1, 2, 3]));
  `,
};

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mutate-"));
  writeAll("source", SOURCES);
  writeAll("test", TESTS);
  writeFileSync(join(folder, "tsconfig.json"), TSCONFIG);
  writeFileSync(
    join(folder, "config.mjs"),
    `export const config = ${JSON.stringify({
      root: folder,
      sources: "source",
      tests: "test",
      tsconfig: "tsconfig.json",
      accepted: join(folder, "accepted.json"),
      reports: join(folder, "report"),
      bars: { "limits.ts": 95, "small.ts": 50 },
      leftOutSources: [],
      slowTests: ["slow.test.ts"],
      leftOutTests: [],
      leftOutMutators: ["StringLiteral"],
    })};`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    module: "Preserve",
    target: "ES2023",
    types: [],
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  include: ["source"],
});

function writeAll(name: string, files: Readonly<Record<string, string>>) {
  mkdirSync(join(folder, name));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
}

function mutate(words: readonly string[], records: readonly object[] = []) {
  writeFileSync(join(folder, "accepted.json"), JSON.stringify(records));
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    ["node", script, "--config", join(folder, "config.mjs"), ...words],
    { cwd: folder },
  );
  const output = stdout.toString() + stderr.toString();
  return { exitCode, output };
}

/** The mutants of the last report that no test noticed, and those that don't count. */
function reported(): readonly string[] {
  const { mutants } = JSON.parse(readFileSync(join(folder, "report/report.json"), "utf8"));
  return mutants
    .filter(({ status }: { status: string }) => status !== "killed")
    .map(
      ({ status, original = "", replacement }: Record<string, string>) =>
        `${status}: ${original.replace(/\s+/g, " ")} -> ${replacement}`,
    );
}

const BOUND = {
  file: "limits.ts",
  code: "return value > limit;",
  mutator: "EqualityOperator",
  original: "value > limit",
  replacement: "value >= limit",
};

/** Each runs the command on a project of its own, which takes seconds. */
function longTest(title: string, run: () => void, timeoutMs: number): void {
  if (process.env.LONG === "1") test(title, run, timeoutMs);
  else test.skip(`${title} (npm run test:long)`, run);
}

test("mutants are killed, survive, run for ever or don't compile; below the bar the command fails", () => {
  const { exitCode, output } = mutate(["limits.ts"]);
  expect(reported()).toEqual([
    "survived: value > limit -> value >= limit",
    "timed out: count < limit -> count >= limit",
    "timed out: count += 1 -> count -= 1",
    "doesn't compile: text?.length -> text.length",
  ]);
  expect(output).toContain("limits.ts is below its bar of 95 per cent");
  // Without the test that no process of many mutants survives.
  expect(output).toContain("Not screened with, as it ended the process or took too long: ending");
  expect(exitCode).toBe(1);
}, 600_000);

test("slow tests see what the others let live, if asked; what was noticed before is not run again", () => {
  const { exitCode, output } = mutate(["limits.ts", "--survivors", "--thorough"]);
  expect(output).toContain("Mutants: 1 of 1");
  expect(reported()).toEqual([
    "timed out: count < limit -> count >= limit",
    "timed out: count += 1 -> count -= 1",
    "doesn't compile: text?.length -> text.length",
  ]);
  expect(exitCode).toBe(0);
}, 600_000);

test("a sample is the same for the same seed, keeps the order, and says within what range all lies", () => {
  const all = Array.from({ length: 100 }, (_, at) => at);
  const sample = takeSample(all, 20, 7);
  expect(sample).toHaveLength(20);
  expect(sample).toEqual(sample.toSorted((left, right) => left - right));
  expect(takeSample(all, 20, 7)).toEqual(sample);
  expect(takeSample(all, 20, 8)).not.toEqual(sample);
  expect(takeSample(all, 200, 7)).toEqual(all);
  // Each is chosen about as often as any other.
  const counts = all.map(() => 0);
  for (let seed = 1; seed <= 400; seed += 1) {
    for (const at of takeSample(all, 20, seed)) counts[at] = (counts[at] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(45);
  expect(Math.max(...counts)).toBeLessThan(120);
  const { from, to } = likelyPercents(90, 100);
  expect([from.toFixed(1), to.toFixed(1)]).toEqual(["82.6", "94.5"]);
  expect(likelyPercents(0, 0)).toEqual({ from: 0, to: 100 });
});

longTest(
  "a sample of a folder has no bar and leaves the report alone",
  () => {
    const { exitCode, output } = mutate(["limits.ts", "--sample", "2", "--seed", "3"]);
    expect(output).toMatch(
      /limits\.ts \d of \d in a sample of 2 with the seed 3: all of it likely/,
    );
    expect(output).not.toContain("below its bar");
    expect(output).not.toContain("The report:");
    expect(exitCode).toBe(0);
  },
  600_000,
);

longTest(
  "a survivor that is recorded as equivalent doesn't count",
  () => {
    const record = { ...BOUND, verdict: "equivalent", reason: "for the test" };
    const { exitCode, output } = mutate(["limits.ts"], [record]);
    expect(output).not.toContain("below its bar");
    expect(exitCode).toBe(0);
  },
  600_000,
);

longTest(
  "a survivor that is recorded as accepted still counts",
  () => {
    const record = { ...BOUND, verdict: "accepted", reason: "for the test" };
    const { exitCode, output } = mutate(["limits.ts"], [record]);
    expect(output).not.toContain("limits.ts:3");
    expect(output).toContain("limits.ts is below its bar");
    expect(exitCode).toBe(1);
  },
  600_000,
);

longTest(
  "a record that no survivor answers to is stale, and an error",
  () => {
    const record = {
      ...BOUND,
      code: "return value < limit;",
      verdict: "equivalent",
      reason: "old",
    };
    const { exitCode, output } = mutate(["small.ts"], [{ ...record, file: "small.ts" }]);
    expect(output).toContain("Stale record: small.ts: return value < limit; (EqualityOperator)");
    expect(exitCode).toBe(1);
  },
  600_000,
);

longTest(
  "what a program that a test starts reaches is covered; what nothing reaches has no test",
  () => {
    const { exitCode } = mutate(["small.ts"]);
    expect(reported()).toEqual([
      "doesn't compile: { return !flag; } -> {}",
      "no test: !flag -> flag",
      "survived: values.length === 0 -> false",
    ]);
    expect(exitCode).toBe(0);
  },
  600_000,
);

longTest(
  "a single mutant's tests are shown in full, and nothing follows for the file",
  () => {
    const { exitCode, output } = mutate(["limits.ts:3:14#3"]);
    expect(output).toContain("(pass) counts");
    expect(output).toContain("Mutants: 1 of 1");
    expect(exitCode).toBe(0);
  },
  600_000,
);

longTest(
  "a test that passes only once in a process notices mutants in processes of their own",
  () => {
    writeFileSync(
      join(folder, "source/memory.ts"),
      `const seen: string[] = [];
     export function firstTime(name: string): boolean {
       if (seen.includes(name)) return false;
       seen.push(name);
       return true;
     }
     export function isSeen(name: string): boolean {
       return seen.includes(name);
     }`,
    );
    writeFileSync(
      join(folder, "test/memory.test.ts"),
      `import { expect, test } from "bun:test";
     import { firstTime, isSeen } from "../source/memory.ts";
     test("once in a process", () => expect(firstTime("a")).toBe(true));
     test("never seen", () => expect(isSeen("b")).toBe(false));`,
    );
    mutate(["memory.ts"]);
    expect(reported()).toEqual([
      'survived: [] -> ["Stryker was here"]',
      "survived: seen.includes(name) -> false",
      "no test: false -> true",
    ]);
  },
  600_000,
);

longTest(
  "a test that fails with no mutant active is left out, and the command fails",
  () => {
    writeFileSync(
      join(folder, "test/red.test.ts"),
      `import { test } from "bun:test"; import "../source/small.ts"; test("red", () => { throw new Error("red"); });`,
    );
    const { exitCode, output } = mutate(["small.ts"]);
    expect(output).toContain("Left out, as it fails with no mutant active: red.test.ts failed");
    expect(exitCode).toBe(1);
  },
  600_000,
);
