// The times of updates, for the benchmark.
import { appendFileSync } from "node:fs";

/** A file for the benchmark, which is told of each update's time; elsewhere there is no such seam. */
const file =
  process.env.SESSION_RUNTIME_TEST === "1" ? process.env.SESSION_RUNTIME_TEST_TUI : undefined;

/** Does the work; in the benchmark, also writes down how long it took. */
export function sampled<Result>(what: string, work: () => Result): Result {
  if (file === undefined) return work();
  const since = performance.now();
  const result = work();
  appendFileSync(file, `${JSON.stringify({ what, ms: performance.now() - since })}\n`);
  return result;
}
