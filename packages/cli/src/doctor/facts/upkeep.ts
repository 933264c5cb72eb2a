// The tasks of upkeep as the settings have them.
import type { Config } from "../../../../plugin/src/config/schema.ts";
import { settingsOf } from "../../../../plugin/src/features/settings.ts";
import { memorySettings } from "../../../../plugin/src/memory/settings.ts";
import { cronProblem } from "../../../../plugin/src/upkeep/cron.ts";
import { upkeepSettings } from "../../../../plugin/src/upkeep/settings.ts";

export interface UpkeepFacts {
  readonly tasks: readonly {
    readonly name: string;
    readonly schedule: string | null;
    /** What is wrong with it; null: nothing, or there is none. */
    readonly scheduleProblem: string | null;
    readonly model: string | null;
  }[];
  readonly hasJobsModel: boolean;
  readonly isMemoryOn: boolean;
}

export async function upkeepFacts(config: Config, nowMs: number): Promise<UpkeepFacts> {
  const { tasks } = settingsOf(config, upkeepSettings);
  return {
    tasks: await Promise.all(
      Object.entries(tasks).map(async ([name, { schedule, model }]) => ({
        ...{ name, schedule, model },
        scheduleProblem: schedule === null ? null : await cronProblem(schedule, nowMs),
      })),
    ),
    hasJobsModel: config.jobs.model !== null,
    isMemoryOn: settingsOf(config, memorySettings).enabled,
  };
}
