// Loads what every instance starts with: its folder's settings, and the features that they turn on.
import { homedir } from "node:os";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { mergeSharedFolders, type SettingsFolders } from "../config/places.ts";
import { type Feature, listSettingsSections } from "../feature-api/feature.ts";
import { selectEnabledFeatures } from "../feature-api/opening-order.ts";

export interface StartupConfig {
  readonly configured: LoadedConfig;
  /** All features, including those that are off, because the database has one schema. */
  readonly listed: readonly Feature[];
  /** The features that the host supports, on or off. */
  readonly offered: readonly Feature[];
  /** The features to open. */
  readonly features: readonly Feature[];
}

interface StartupPlace {
  readonly directory: string;
  readonly worktree: string;
  /** The options that the host passes to the plugin, in addition to the settings files. */
  readonly options: unknown;
  /** The host's own settings folders, besides the shared ones. */
  readonly ownFolders: SettingsFolders;
  /** Names of the features that the host does not support. */
  readonly leftOut: ReadonlySet<string>;
}

export const NO_OWN_FOLDERS: SettingsFolders = { user: [], inProject: [] };

/** Loads the configuration; null if the settings turn the runtime off. */
export async function loadStartupConfig(
  listed: readonly Feature[],
  { leftOut, ownFolders, ...place }: StartupPlace,
): Promise<StartupConfig | null> {
  const user = { env: process.env, home: homedir() };
  const around = { ...user, folders: mergeSharedFolders(user, ownFolders) };
  const configured = await loadConfig(listSettingsSections(listed), { ...place, ...around });
  if (!configured.config.enabled) return null;
  const offered = listed.filter(({ name }) => !leftOut.has(name));
  return {
    configured,
    listed,
    offered,
    features: selectEnabledFeatures(listed, configured.config, leftOut),
  };
}
