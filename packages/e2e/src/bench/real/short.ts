// Recorded sessions cut short: what little a plugin gains or costs in them.
import type { RecordedSession } from "../../../../cli/src/simulation/recorded.ts";

export const SHORT_STEPS = 25;

/** The session's beginning; where it ends in the middle of a turn, so does the turn. */
export function truncateSession(
  steps: number,
  { turns, ...recorded }: RecordedSession,
): RecordedSession {
  let left = steps;
  const kept = turns.flatMap((turn) => {
    const taken = turn.steps.slice(0, left);
    left -= taken.length;
    return taken.length === 0 ? [] : [{ ...turn, steps: taken }];
  });
  return { ...recorded, turns: kept };
}
