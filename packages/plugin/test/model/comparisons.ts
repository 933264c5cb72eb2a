import { loadedBy, matchesSlot, sentBy, unlessUntold, withCalls, without } from "./explore.ts";
import type { Schedule, Stage } from "./run.ts";
import type { Slot, Step } from "./steps.ts";

/** What two runs of one schedule have sent, which must be the same. */
export type Pair = readonly [string, string];

const isRestart = (step: Step) => step.do === "restart";

function alive(schedule: Schedule): Schedule {
  return without(withCalls(schedule, { fault: null }), (step) => step.do === "other process");
}

/** I2: with restarts, and without. */
export async function restarted(stage: Stage, schedule: Schedule): Promise<Pair> {
  // An undo makes known news of the host's own blocks untold again; see `restartedAnywhere`.
  const steady = without(
    alive(schedule),
    (step) => step.do === "undo" || (step.do === "compact" && step.outcome !== "done"),
  );
  const left = sentBy(await stage.run(steady, unlessUntold));
  return [left, sentBy(await stage.run(without(steady, isRestart)))];
}

/** I2: the same, but for when news of the host's own blocks is told. */
export async function restartedAnywhere(stage: Stage, schedule: Schedule): Promise<Pair> {
  const left = loadedBy(await stage.run(alive(schedule)));
  return [left, loadedBy(await stage.run(without(alive(schedule), isRestart)))];
}

/** I9: with loads that finish in another order. */
export async function reordered(
  stage: Stage,
  schedule: Schedule,
  loadOrder: number,
): Promise<Pair> {
  const other = { ...schedule, setting: { ...schedule.setting, loadOrder } };
  return [sentBy(await stage.run(other)), sentBy(await stage.run(schedule))];
}

/** I12: what the session in this slot sends beside another one, and alone. */
export async function alone(stage: Stage, schedule: Schedule, slot: Slot): Promise<Pair> {
  // Of the other session what only happens to it: its process and world are both's.
  const own = (step: Step) => step.do === "compact" && step.outcome === "dies";
  const both = without(withCalls(schedule, { fault: null, meanwhile: null }), own);
  const other: Slot = slot === 0 ? 1 : 0;
  const byItself = await stage.run(without(both, matchesSlot(other)));
  const ids = new Set(byItself.calls.map(({ sessionId }) => sessionId));
  const beside = await stage.run(both);
  return [sentBy(beside, ({ sessionId }) => ids.has(sessionId)), sentBy(byItself)];
}
