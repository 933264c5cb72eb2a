// When tasks start by themselves. Pure: the times of a cron expression come from whoever reads them.
import type { RunRecord } from "./run-table.ts";
import type { UpkeepSettings } from "./settings.ts";
import { TASKS, type TaskName } from "./task.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** So many runs in a row that fail alike, and the task rests for a day. */
const FAILURES_TO_REST = 3;
/** Ends that are no failure of the task or its model. */
const HARMLESS: ReadonlySet<string> = new Set(["budget", "stopped", "abandoned", "task_off"]);

export interface ScheduleInput {
  readonly settings: UpkeepSettings;
  /** Of the project, newest first. */
  readonly runs: readonly RunRecord[];
  readonly nowMs: number;
  /** The first time of an expression after a moment; null: there is none. */
  readonly nextAtMs: (schedule: string, afterMs: number) => number | null;
}

/** Those whose time has come since they last began; a time that nobody was there for counts for a day. */
export function dueTasks({ settings, runs, nowMs, nextAtMs }: ScheduleInput): readonly TaskName[] {
  return TASKS.filter((task) => {
    const schedule = settings.tasks[task]?.schedule ?? null;
    if (schedule === null) return false;
    const own = runs.filter((run) => run.task === task);
    const [last] = own;
    const restsUntilMs = (last?.endedAtMs ?? 0) + settings.cooldownHours * HOUR_MS;
    if (last && (restsUntilMs > nowMs || last.endedAtMs === null)) return false;
    if (isBroken(own, nowMs)) return false;
    const fromMs = Math.max(last?.begunAtMs ?? 0, nowMs - DAY_MS);
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
