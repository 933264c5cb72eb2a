// Reads the runtime's own settings as the plugin does: its files, and its options in the host's config.

import type { ConfigLayer } from "@session-runtime/opencode/config/layer";
import { readConfigFiles } from "@session-runtime/opencode/config/load";
import { resolveLogPath, resolveOwnConfigFile } from "@session-runtime/opencode/config/places";
import { resolveConfig } from "@session-runtime/opencode/config/resolve";
import type { Config } from "@session-runtime/opencode/config/schema";
import type { ConfigWarning } from "@session-runtime/opencode/config/warning";
import { selectSettings } from "@session-runtime/opencode/feature-api/settings";
import { findCronProblem } from "@session-runtime/opencode/features/maintenance/cron";
import { maintenanceSettings } from "@session-runtime/opencode/features/maintenance/settings";
import { memorySettings } from "@session-runtime/opencode/features/memory/settings";
import { settingsSchema } from "../../database/settings-schema.ts";
import { findWorktree } from "../../host/config-places.ts";
import { type Environment, resolvePlaces } from "../../host/places.ts";
import { settingsFolders } from "../../host/settings-folders.ts";

export interface SettingsFacts {
  /** The configuration that applies in the directory. */
  readonly config: Config;
  readonly isEnabled: boolean;
  /** The file and line that turn the plugin off; null where nothing does. */
  readonly offBy: string | null;
  readonly warnings: readonly ConfigWarning[];
  /** The settings of each place; later ones win. */
  readonly layers: readonly { readonly file: string; readonly value: unknown }[];
  /** The user's own file, for settings that a project may not make. */
  readonly ownFile: string;
  readonly maintenance: UpkeepFacts;
  /** Returns the log's path for a database at this path. */
  logBeside(databasePath: string): string;
}

export async function settingsFacts(
  directory: string,
  env: Environment,
  options: readonly ConfigLayer[],
): Promise<SettingsFacts> {
  const { home } = resolvePlaces(env);
  const project = { directory, worktree: findWorktree(directory) };
  const around = { env, home, folders: settingsFolders(env) };
  const files = await readConfigFiles(project, around);
  const layers = [...files.layers, ...options];
  const { config, warnings } = resolveConfig(settingsSchema, layers);
  return {
    config,
    isEnabled: config.enabled,
    offBy: config.enabled ? null : describePlace(layers, "enabled"),
    warnings: [...files.skipped, ...warnings],
    layers: layers.map(({ file, value }) => ({ file, value })),
    ownFile: resolveOwnConfigFile(around),
    maintenance: await maintenanceFacts(config, Date.now()),
    logBeside: (databasePath) => resolveLogPath(config, home, databasePath),
  };
}

/** Returns the file and line of the last layer that sets a top-level key; null where none does. */
function describePlace(layers: readonly ConfigLayer[], key: string): string | null {
  const setter = layers.findLast(
    ({ value }) => typeof value === "object" && value !== null && Object.hasOwn(value, key),
  );
  if (setter === undefined) return null;
  const line = setter.findLine([key]);
  return line === null ? setter.file : `${setter.file}:${line}`;
}

interface UpkeepFacts {
  readonly tasks: readonly {
    readonly name: string;
    readonly schedule: string | null;
    /** The fault of the schedule; null where it has none, or there is no schedule. */
    readonly scheduleProblem: string | null;
    readonly model: string | null;
  }[];
  readonly hasJobsModel: boolean;
  readonly isMemoryOn: boolean;
}

async function maintenanceFacts(config: Config, nowMs: number): Promise<UpkeepFacts> {
  const { tasks } = selectSettings(config, maintenanceSettings);
  return {
    tasks: await Promise.all(
      Object.entries(tasks).map(async ([name, { schedule, model }]) => ({
        ...{ name, schedule, model },
        scheduleProblem: schedule === null ? null : await findCronProblem(schedule, nowMs),
      })),
    ),
    hasJobsModel: config.jobs.model !== null || config.jobs.fallbacks.length > 0,
    isMemoryOn: selectSettings(config, memorySettings).enabled,
  };
}
