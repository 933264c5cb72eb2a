// The runtime's settings, as the plugin reads them.
import { loadConfig } from "../../../../plugin/src/config/load.ts";
import { worktreeOf } from "../../host/config-places.ts";
import { type Environment, placesOf } from "../../host/places.ts";
import type { Facts } from "./facts.ts";

/** The runtime's own settings, as the plugin reads them, but for options in the host's config. */
export async function settingsFacts(
  directory: string,
  env: Environment,
): Promise<Facts["settings"]> {
  const { config, warnings } = await loadConfig({
    env,
    home: placesOf(env).home,
    directory,
    worktree: worktreeOf(directory),
    options: undefined,
  });
  return { isEnabled: config.enabled, warnings };
}
