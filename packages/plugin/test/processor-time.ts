// Compares processor times in tests: of this process alone, so that what else the machine does hardly counts, and each
// with another of the same run, so that it does not matter how fast the machine is.

/** How many times as long four times the input may take: linear work takes four times as long, quadratic sixteen. */
export const MOST_FOR_FOURFOLD = 8;

/** One round says little: code may not be compiled yet, and the collection of garbage comes when it comes. */
const ROUNDS = { least: 3, most: 12 };

/**
 * How many times as long `run` takes as `other`, by the least that each took. They take turns, since a machine
 * is busier at one time than at another, until the ratio is below the limit: what disturbs a run ends, but
 * work that is not linear stays so.
 */
export async function timesAsLong(
  run: () => unknown,
  other: () => unknown,
  limit = MOST_FOR_FOURFOLD,
): Promise<number> {
  let [leastMs, otherMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS.most; round += 1) {
    if (round >= ROUNDS.least && leastMs < otherMs * limit) break;
    leastMs = Math.min(leastMs, await processorMs(run));
    otherMs = Math.min(otherMs, await processorMs(other));
  }
  return leastMs / otherMs;
}

/** What one run took, in milliseconds. */
async function processorMs(run: () => unknown): Promise<number> {
  const before = processorNowMs();
  await run();
  return processorNowMs() - before;
}

/** What this process has taken of the processor so far: in place of a clock, which other processes move on. */
export function processorNowMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
