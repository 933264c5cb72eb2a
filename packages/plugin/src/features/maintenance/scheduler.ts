// Starts tasks when their time has come and no session is at work.

import type { ProjectLease } from "../../feature-api/project-lease.ts";
import type { Project } from "../../project/project.ts";
import type { SessionId } from "../../storage/records.ts";
import { type Cron, loadCron } from "./cron.ts";
import type { RunStore } from "./run-store.ts";
import { dueTasks } from "./schedule.ts";
import type { MaintenanceSettings } from "./settings.ts";

const MINUTE_MS = 60_000;
/** More runs than any decision needs. */
const MAX_LISTED = 100;

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
  /** A run waits for its first step. */
  readonly begun: () => void;
  readonly failed: (error: unknown) => void;
  /** The time between two checks. */
  readonly checkMs: number;
  /** Milliseconds since 1970. */
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

  /** Starts the timer only where a task has a schedule. */
  start(): void {
    const { tasks } = this.deps.settings;
    if (!Object.values(tasks).some(({ schedule }) => schedule !== null)) return;
    this.#timer = setInterval(() => void this.check().catch(this.deps.failed), this.deps.checkMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A session has begun a turn. */
  onBusy(sessionId: SessionId): void {
    this.#busy.add(sessionId);
  }

  /** The session has ended a turn, or was deleted. */
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
    const known = runs().list(place.project, directory, MAX_LISTED);
    const nextAtMs = (schedule: string, afterMs: number) => this.#next(cron, schedule, afterMs);
    const due = (elsewhere: ReadonlyMap<string, number>) =>
      dueTasks({ settings, runs: known, elsewhere, nowMs: now(), nextAtMs });
    if (due(new Map()).length === 0) return;
    // Waits for another machine's run, and for a server that can't say whether there is one.
    const elsewhere = await lease().done(place.project);
    if (elsewhere === "elsewhere" || elsewhere === "away") return;
    const tasks = due(elsewhere);
    // The server may have taken its time.
    if (tasks.length === 0 || !this.#isQuiet()) return;
    const run = runs().begin({ ...place, board: worker, askedBy: "schedule", tasks }, now());
    if (run) begun();
  }

  #isQuiet(): boolean {
    const { settings, now } = this.deps;
    const isRested = now() - this.#workedAtMs >= settings.quietMinutes * MINUTE_MS;
    return this.#busy.size === 0 && isRested;
  }

  /** An expression that can't be read names no time, is reported once, and keeps no other task from its own. */
  #next({ nextAtMs }: Cron, schedule: string, afterMs: number): number | null {
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
