import { test } from "bun:test";

export const LONG = process.env.LONG === "1";

/** In which runs a row of a table is a test: the others show what it shows, or tests below the host do. */
export type Runs = "each-run" | "long-runs";

/** Some rows wait for two calls that are stopped after two minutes each. */
const LONG_ROW_MS = 10 * 60_000;

/** Of many rows of a kind, the first and the last stand for all in each run. */
export function chooseRuns<Row>(row: Row, all: readonly Row[]): Runs {
  return row === all[0] || row === all.at(-1) ? "each-run" : "long-runs";
}

/** A row's test. */
export function rowTest(runs: Runs, title: string, run: () => void | Promise<void>): void {
  if (runs === "each-run") test(title, run);
  else longTest(title, run, LONG_ROW_MS);
}

/** A test that only long runs take: an ordinary one has ten minutes, and says so by its name. */
export function longTest(title: string, run: () => void | Promise<void>, timeoutMs?: number): void {
  if (LONG) test(title, run, timeoutMs);
  else test.skip(`${title} (npm run test:long)`, run);
}
