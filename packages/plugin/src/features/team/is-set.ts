// Tests whether a team's store is set, without loading anything.
import { selectSettings } from "../../feature-api/settings.ts";
import { memorySettings } from "../memory/settings.ts";

/** The variable that names the store if no file is to hold the store's password. */
export const STORE_VARIABLE = "SESSION_RUNTIME_MEMORY_STORE";

export type Environment = Readonly<Record<string, string | undefined>>;

export function isTeamSet(config: object, env: Environment): boolean {
  const { enabled, store } = selectSettings(config, memorySettings);
  return enabled && Boolean(env[STORE_VARIABLE] || store);
}
