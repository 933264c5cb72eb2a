// Loads a directory's configuration as the plugin does.
import { readConfigFiles } from "@session-runtime/opencode/config/load";
import { resolveConfig } from "@session-runtime/opencode/config/resolve";
import type { Config } from "@session-runtime/opencode/config/schema";
import { findWorktree } from "../host/config-places.ts";
import { type Environment, resolvePlaces } from "../host/places.ts";
import { settingsFolders } from "../host/settings-folders.ts";
import { hostOptions } from "./place.ts";
import { settingsSchema } from "./settings-schema.ts";

export async function loadEffectiveConfig(directory: string, env: Environment): Promise<Config> {
  const project = { directory, worktree: findWorktree(directory) };
  const { layers } = await readConfigFiles(project, {
    env,
    home: resolvePlaces(env).home,
    folders: settingsFolders(env),
  });
  const options = (await hostOptions(env)).flatMap((value) =>
    value === undefined || value === null
      ? []
      : [{ file: "plugin options", scope: "options" as const, value, findLine: () => null }],
  );
  return resolveConfig(settingsSchema, [...layers, ...options]).config;
}
