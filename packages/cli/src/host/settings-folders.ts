// Lists the folders where users of either host keep the runtime's settings.
import {
  resolveSharedFolders,
  type SettingsFolders,
} from "@session-runtime/opencode/config/places";
import { PI_IN_PROJECT, piFolder } from "./pi-places.ts";
import { type Environment, resolvePlaces } from "./places.ts";

/** Lists Pi's folders first: the shared file wins over Pi's, but a setting that only Pi's makes counts here, too. */
export function settingsFolders(env: Environment): SettingsFolders {
  const { user, inProject } = resolveSharedFolders({ env, home: resolvePlaces(env).home });
  return { user: [piFolder(env), ...user], inProject: [PI_IN_PROJECT, ...inProject] };
}
