// What every instance begins with: the settings of its folder, and the features that they turn on.
import { homedir } from "node:os";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { overShared, type SettingsFolders } from "../config/places.ts";
import { enabledFeatures } from "../feature-api/enabled-features.ts";
import type { Feature } from "../feature-api/feature.ts";
import { settingsSections } from "../feature-api/settings-sections.ts";

export interface StartupConfig {
  readonly configured: LoadedConfig;
  /** All features, those that are off too: the database has one schema. */
  readonly listed: readonly Feature[];
  /** Those that the host has a place for, on or off. */
  readonly offered: readonly Feature[];
  /** Those that are opened. */
  readonly features: readonly Feature[];
}

interface StartupPlace {
  readonly directory: string;
  readonly worktree: string;
  /** What the host gives to the plugin beside the files. */
  readonly options: unknown;
  /** Where the host's users keep settings, besides the shared folders. */
  readonly ownFolders: SettingsFolders;
  /** Names of the features that the host has no place for. */
  readonly leftOut: ReadonlySet<string>;
}

export const NO_OWN_FOLDERS: SettingsFolders = { user: [], inProject: [] };

/** Null: the settings turn the runtime off. */
export async function loadStartupConfig(
  listed: readonly Feature[],
  { leftOut, ownFolders, ...place }: StartupPlace,
): Promise<StartupConfig | null> {
  const user = { env: process.env, home: homedir() };
  const around = { ...user, folders: overShared(user, ownFolders) };
  const configured = await loadConfig(settingsSections(listed), { ...place, ...around });
  if (!configured.config.enabled) return null;
  const offered = listed.filter(({ name }) => !leftOut.has(name));
  return {
    configured,
    listed,
    offered,
    features: enabledFeatures(listed, configured.config, leftOut),
  };
}
