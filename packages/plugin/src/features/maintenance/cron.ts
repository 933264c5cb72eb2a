// Reads cron expressions; loads with the first schedule that is set.

export interface Cron {
  /**
   * Returns the first time after a moment, by this machine's clock; null if there is none.
   * @throws if the schedule is invalid
   */
  readonly nextAtMs: (schedule: string, afterMs: number) => number | null;
}

export async function loadCron(): Promise<Cron> {
  const { Cron: Parsed } = await import("croner");
  return {
    nextAtMs: (schedule, afterMs) =>
      new Parsed(schedule, { paused: true }).nextRun(new Date(afterMs))?.getTime() ?? null,
  };
}

/** Describes what is wrong with a cron expression; null if it names any times. */
export async function findCronProblem(schedule: string, nowMs: number): Promise<string | null> {
  const { nextAtMs } = await loadCron();
  try {
    return nextAtMs(schedule, nowMs) === null ? "it matches no time in the future" : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
