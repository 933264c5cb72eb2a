// Upkeep's section of the configuration.
import {
  defineSettingsSection,
  reserveForUser,
  type SettingsValues,
} from "../../feature-api/settings.ts";
import type { TaskName } from "./task.ts";

/** Matches five fields, or six with seconds; the cron parser decides whether they name a time. */
const CRON_PATTERN = /^\S+(?:\s+\S+){4,5}$/;

export const maintenanceSettings = defineSettingsSection({
  key: "upkeep",
  description: "Tasks that keep memories short, true and useful; none is set by default.",
  settings: { tasks: reserveForUser({}), quietMinutes: reserveForUser(5) },
  keys: async (z) => {
    const { TASKS } = await import("./task.ts");
    const tokens = z.int().min(1_000).max(100_000_000);
    const task = z.strictObject({
      schedule: z
        .string()
        .regex(CRON_PATTERN, 'expected five fields of cron, such as "0 3 * * *"')
        .nullable()
        .default(null)
        .describe(
          "When the task starts by itself, as a cron expression in this machine's time zone. It then waits until a running OpenCode is idle. null: only when you start it.",
        ),
      model: z
        .string()
        .regex(/^[^\s/]+\/\S+$/, 'expected "provider/model"')
        .nullable()
        .default(null)
        .describe("The model that the task asks, as `provider/model`. null: that of `jobs`."),
      tokensPerRun: tokens.default(100_000).describe("How many tokens one run may use."),
      tokensPerDay: tokens
        .default(300_000)
        .describe("How many tokens its runs may use within 24 hours."),
    });
    return {
      tasks: z
        .partialRecord(z.enum(TASKS), task)
        .describe(
          "The tasks that may run, each with its own settings: `verify`, `consolidate`, `archive`, `improve`, `docs`. See docs/upkeep.md.",
        ),
      quietMinutes: z
        .number()
        .min(0)
        .max(1_440)
        .describe(
          "How many minutes the folder's sessions must have been idle before a task starts.",
        ),
    };
  },
});

export type MaintenanceSettings = SettingsValues<typeof maintenanceSettings>;

export type TaskSettings = NonNullable<MaintenanceSettings["tasks"][TaskName]>;
