// Which recorded sessions stand for all of them where playing all takes too long.
import { listSteps, type RecordedSession } from "../../../../cli/src/simulation/recorded.ts";

const MEDIAN = 0.5;
const UPPER_QUARTILE = 0.75;

/**
 * By length alone, which is known before anything is played: of each harness the session with the median
 * number of steps, and of the harness that made most of them the one at the upper quartile, too.
 */
export function takeSample(all: readonly RecordedSession[]): readonly RecordedSession[] {
  const byHarness = [...Map.groupBy(all, ({ harness }) => harness).values()];
  const most = Math.max(...byHarness.map(({ length }) => length));
  return byHarness.flatMap((sessions) => {
    const sorted = sessions.toSorted((a, b) => listSteps(a).length - listSteps(b).length);
    return sessions.length === most
      ? [...at(sorted, MEDIAN), ...at(sorted, UPPER_QUARTILE)]
      : at(sorted, MEDIAN);
  });
}

/** The lower one where the quantile lies between two. */
function at(sorted: readonly RecordedSession[], quantile: number): readonly RecordedSession[] {
  const index = Math.floor(quantile * (sorted.length - 1));
  return sorted.slice(index, index + 1);
}
