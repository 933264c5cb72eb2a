// Finds the settings and sessions of Pi that the command line reads and writes.
import { join, resolve } from "node:path";
import type { Scope } from "./config-places.ts";
import { type Environment, resolvePlaces } from "./places.ts";

/** Returns the user's folder of Pi, with settings, sessions and models. */
export function piFolder(env: Environment): string {
  return env.PI_CODING_AGENT_DIR || join(resolvePlaces(env).home, ".pi/agent");
}

/** Returns the path of the runtime's settings for Pi alone. */
export function piOwnSettings(env: Environment): string {
  return join(piFolder(env), "session-runtime.jsonc");
}

/** Names Pi's folder in a project. */
export const PI_IN_PROJECT = ".pi";

/**
 * Returns the path of the settings that list Pi's packages; a project's are in the very folder where Pi is started.
 */
export function piSettings(scope: Scope, env: Environment, directory: string): string {
  switch (scope) {
    case "global":
      return join(piFolder(env), "settings.json");
    case "project":
      return join(resolve(directory), PI_IN_PROJECT, "settings.json");
  }
}
