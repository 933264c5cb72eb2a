// Decides when tasks start by themselves. Pure: the caller supplies the times of a cron expression.
import type { RunRecord } from "./run-table.ts";
import type { MaintenanceSettings } from "./settings.ts";
import { TASKS, type TaskName } from "./task.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** A task rests this long after a run before it starts by itself again. */
const COOLDOWN_MS = 12 * HOUR_MS;

/** After this many runs in a row that fail alike, the task rests for a day. */
const FAILURES_TO_REST = 3;
/** Ends that are not a failure of the task or its model. */
const HARMLESS: ReadonlySet<string> = new Set([
  "budget",
  "stopped",
  "abandoned",
  "task_off",
  "elsewhere",
  "store_away",
]);

interface ScheduleInput {
  readonly settings: MaintenanceSettings;
  /** The project's runs, newest first. */
  readonly runs: readonly RunRecord[];
  /** The time when other machines of the team last did each task. */
  readonly elsewhere: ReadonlyMap<string, number>;
  readonly nowMs: number;
  /** The first time of an expression after a moment; null: there is none. */
  readonly nextAtMs: (schedule: string, afterMs: number) => number | null;
}

/** Returns the tasks whose time has come since they last began; a time that nobody was there for counts for a day. */
export function dueTasks(input: ScheduleInput): readonly TaskName[] {
  const { settings, runs, elsewhere, nowMs, nextAtMs } = input;
  return TASKS.filter((task) => {
    const schedule = settings.tasks[task]?.schedule ?? null;
    if (schedule === null) return false;
    const own = runs.filter((run) => run.task === task);
    const [last] = own;
    if (last?.endedAtMs === null) return false;
    const othersAtMs = elsewhere.get(task) ?? 0;
    const doneAtMs = Math.max(last?.endedAtMs ?? 0, othersAtMs);
    if (doneAtMs + COOLDOWN_MS > nowMs || isBroken(own, nowMs)) return false;
    const fromMs = Math.max(last?.begunAtMs ?? 0, othersAtMs, nowMs - DAY_MS);
    const atMs = nextAtMs(schedule, fromMs);
    return atMs !== null && atMs <= nowMs;
  });
}

function isBroken(runs: readonly RunRecord[], nowMs: number): boolean {
  const [last, ...others] = runs.slice(0, FAILURES_TO_REST);
  if (!last || last.code === null || HARMLESS.has(last.code)) return false;
  const isRecent = (last.endedAtMs ?? 0) > nowMs - DAY_MS;
  return (
    isRecent &&
    others.length === FAILURES_TO_REST - 1 &&
    others.every(({ code }) => code === last.code)
  );
}
