// Reads cron expressions; loads with the first schedule that is set.

export interface Cron {
  /** The first time after a moment, by this machine's clock; null: there is none. @throws for a bad one */
  readonly nextAtMs: (schedule: string, afterMs: number) => number | null;
}

export async function loadCron(): Promise<Cron> {
  const { Cron: Parsed } = await import("croner");
  return {
    nextAtMs: (schedule, afterMs) =>
      new Parsed(schedule, { paused: true }).nextRun(new Date(afterMs))?.getTime() ?? null,
  };
}

/** Describes the fault of a cron expression; null when it names times. */
export async function findCronProblem(schedule: string, nowMs: number): Promise<string | null> {
  const { nextAtMs } = await loadCron();
  try {
    return nextAtMs(schedule, nowMs) === null ? "it matches no time in the future" : null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
