// Types of suite-run.mjs.

/** A command with its arguments, and how its passes and failures are counted. */
export interface Suite {
  readonly name: string;
  readonly counts: "bun" | "whole";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What runs once more when something fails. */
  readonly repeats: "files" | "whole";
}

export interface Result {
  readonly code: number;
  readonly output: string;
  readonly report: string;
  readonly processorSeconds: number;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

export interface TestOutcome {
  readonly file: string;
  readonly outcome: "pass" | "fail";
  readonly title: string;
}

/** Runs a suite to its end; its output comes whole, and `report` is the part of it that bun writes itself. */
export function runSuite(suite: Pick<Suite, "command" | "args" | "env">): Promise<Result>;

/** What bun is given to run test files, or folders of them. */
export function testArgs(paths: readonly string[]): readonly string[];

/** A suite that fails outside of a test (a crash, missing coverage) counts as one failure. */
export function countOutcomes(suite: Pick<Suite, "counts">, result: Result): Counts;

/** Each test that passed or failed, with its title and the file whose heading it stands below. */
export function parseTests(result: Pick<Result, "report">): readonly TestOutcome[];
