// Starts tasks when their time has come and no session is at work.
import type { ProjectLease } from "../../feature-api/extension-point.ts";
import type { Project } from "../../project/project.ts";
import type { SessionId } from "../../storage/records.ts";
import { type Cron, loadCron } from "./cron.ts";
import type { RunStore } from "./run-store.ts";
import type { RunRecord } from "./run-table.ts";
import type { MaintenanceSettings } from "./settings.ts";
import { TASKS, type TaskName } from "./task.ts";

// Decides when tasks start by themselves. Pure: the caller supplies the times of a cron expression.

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** A task rests for this long after a run before it starts by itself again. */
const TASK_COOLDOWN_MS = 12 * HOUR_MS;

/** A task rests for a day after this many runs in a row have ended with the same failure. */
const MAX_REPEATED_FAILURES = 3;
/** Codes of runs that ended without a failure of the task or its model. */
const HARMLESS_END_CODES: ReadonlySet<string> = new Set([
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
  /** When other machines of the team last did each task. */
  readonly elsewhere: ReadonlyMap<string, number>;
  readonly nowMs: number;
  /** Returns the first time that a cron expression names after a moment; null if there is none. */
  readonly nextAtMs: (schedule: string, afterMs: number) => number | null;
}

/** Returns the tasks whose time has come since they last began. A missed time stays valid for a day. */
export function listDueTasks(input: ScheduleInput): readonly TaskName[] {
  const { settings, runs, elsewhere, nowMs, nextAtMs } = input;
  return TASKS.filter((task) => {
    const schedule = settings.tasks[task]?.schedule ?? null;
    if (schedule === null) return false;
    const own = runs.filter((run) => run.task === task);
    const [last] = own;
    if (last?.endedAtMs === null) return false;
    const othersAtMs = elsewhere.get(task) ?? 0;
    const doneAtMs = Math.max(last?.endedAtMs ?? 0, othersAtMs);
    if (doneAtMs + TASK_COOLDOWN_MS > nowMs || hasFailedRepeatedly(own, nowMs)) return false;
    const fromMs = Math.max(last?.begunAtMs ?? 0, othersAtMs, nowMs - DAY_MS);
    const atMs = nextAtMs(schedule, fromMs);
    return atMs !== null && atMs <= nowMs;
  });
}

function hasFailedRepeatedly(runs: readonly RunRecord[], nowMs: number): boolean {
  const [last, ...others] = runs.slice(0, MAX_REPEATED_FAILURES);
  if (!last || last.code === null || HARMLESS_END_CODES.has(last.code)) return false;
  const isRecent = (last.endedAtMs ?? 0) > nowMs - DAY_MS;
  return (
    isRecent &&
    others.length === MAX_REPEATED_FAILURES - 1 &&
    others.every(({ code }) => code === last.code)
  );
}

const MINUTE_MS = 60_000;
/** The number of runs that are read, which is more than any decision needs. */
const MAX_LISTED_RUNS = 100;

interface SchedulerDeps {
  readonly settings: MaintenanceSettings;
  readonly directory: string;
  /** Names the worker that runs this host's jobs. */
  readonly worker: string;
  /** Opens the database. @throws StorageError */
  readonly ready: () => Promise<void>;
  readonly runs: () => RunStore;
  readonly project: () => Promise<Project>;
  readonly lease: () => Pick<ProjectLease, "done">;
  /** Called when a run has begun and waits for its first step. */
  readonly begun: () => void;
  readonly failed: (error: unknown) => void;
  /** The time between two checks. */
  readonly checkMs: number;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

export class MaintenanceScheduler {
  #timer: ReturnType<typeof setInterval> | undefined;
  #cron: Promise<Cron> | null = null;
  #workedAtMs: number;
  readonly #busy = new Set<SessionId>();
  readonly #unreadable = new Set<string>();

  constructor(private readonly deps: SchedulerDeps) {
    this.#workedAtMs = deps.now();
  }

  /** Starts the timer if at least one task has a schedule. */
  start(): void {
    const { tasks } = this.deps.settings;
    if (!Object.values(tasks).some(({ schedule }) => schedule !== null)) return;
    this.#timer = setInterval(() => void this.check().catch(this.deps.failed), this.deps.checkMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Must be called when a session has begun a turn. */
  onBusy(sessionId: SessionId): void {
    this.#busy.add(sessionId);
  }

  /** Must be called when a session has ended a turn or was deleted. */
  onIdle(sessionId: SessionId): void {
    this.#busy.delete(sessionId);
    this.#workedAtMs = this.deps.now();
  }

  async check(): Promise<void> {
    const { settings, directory, worker, ready, runs, project, lease, begun, now } = this.deps;
    if (!this.#isQuiet()) return;
    await ready();
    const place = { project: (await project()).id, directory };
    this.#cron ??= loadCron();
    const cron = await this.#cron;
    runs().endAbandoned(place, now());
    const known = runs().list(place.project, directory, MAX_LISTED_RUNS);
    const computeNextAtMs = (schedule: string, afterMs: number) =>
      this.#computeNextRunAtMs(cron, schedule, afterMs);
    const listTasksDueHere = (elsewhere: ReadonlyMap<string, number>) =>
      listDueTasks({ settings, runs: known, elsewhere, nowMs: now(), nextAtMs: computeNextAtMs });
    if (listTasksDueHere(new Map()).length === 0) return;
    // Starts nothing while another machine has a run, or while the server can't say whether one has.
    const elsewhere = await lease().done(place.project);
    if (elsewhere === "elsewhere" || elsewhere === "away") return;
    const tasks = listTasksDueHere(elsewhere);
    // The sessions are checked again, because one may have begun a turn while the server was being asked.
    if (tasks.length === 0 || !this.#isQuiet()) return;
    const run = runs().begin({ ...place, board: worker, askedBy: "schedule", tasks }, now());
    if (run) begun();
  }

  #isQuiet(): boolean {
    const { settings, now } = this.deps;
    const isRested = now() - this.#workedAtMs >= settings.quietMinutes * MINUTE_MS;
    return this.#busy.size === 0 && isRested;
  }

  /**
   * Computes a task's next time; null if the expression names no further time or can't be read. An unreadable
   * expression is reported once and doesn't keep other tasks from starting.
   */
  #computeNextRunAtMs({ nextAtMs }: Cron, schedule: string, afterMs: number): number | null {
    if (this.#unreadable.has(schedule)) return null;
    try {
      return nextAtMs(schedule, afterMs);
    } catch (error) {
      this.#unreadable.add(schedule);
      this.deps.failed(error);
      return null;
    }
  }
}
