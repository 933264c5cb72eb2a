// Upkeep's section of the configuration.
import type { SettingsSection } from "../features/settings.ts";
import type { TaskName } from "./task.ts";

export interface TaskSettings {
  /** When it starts by itself, as five fields of cron; null: only when it is asked for. */
  readonly schedule: string | null;
  /** `provider/model`; null: the model of all jobs. */
  readonly model: string | null;
  readonly tokensPerRun: number;
  readonly tokensPerDay: number;
}

export interface UpkeepSettings {
  /** Those that are set may run. */
  readonly tasks: Readonly<Partial<Record<TaskName, TaskSettings>>>;
  readonly cooldownHours: number;
  readonly quietMinutes: number;
}

export const upkeepSettings: SettingsSection<UpkeepSettings> = {
  key: "upkeep",
  defaults: { tasks: {}, cooldownHours: 12, quietMinutes: 5 },
  schema: async () => (await import("./settings-schema.ts")).upkeepSchema,
};
