// Lists the folders where users of either host keep the runtime's settings.
import {
  resolveSharedFolders,
  type SettingsFolders,
} from "@session-runtime/opencode/config/places";
import { PI_IN_PROJECT, piFolder } from "./pi-places.ts";
import { type Environment, resolvePlaces } from "./places.ts";

/**
 * Returns the settings folders of both hosts. Later ones win: the shared file overrides Pi's, and a setting that only
 * Pi's file has still applies.
 */
export function settingsFolders(env: Environment): SettingsFolders {
  const { user, inProject } = resolveSharedFolders({ env, home: resolvePlaces(env).home });
  return { user: [piFolder(env), ...user], inProject: [PI_IN_PROJECT, ...inProject] };
}
