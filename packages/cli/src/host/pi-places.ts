// Where Pi keeps what the command line reads and writes: its settings and its sessions.
import { join, resolve } from "node:path";
import type { Scope } from "./config-places.ts";
import { type Environment, resolvePlaces } from "./places.ts";

/** Pi's folder of the user: settings, sessions, models. */
export function piFolder(env: Environment): string {
  return env.PI_CODING_AGENT_DIR || join(resolvePlaces(env).home, ".pi/agent");
}

/** The runtime's own settings, for Pi alone. */
export function piOwnSettings(env: Environment): string {
  return join(piFolder(env), "session-runtime.jsonc");
}

/** Pi's folder in a project's. */
export const PI_IN_PROJECT = ".pi";

/** The settings that list Pi's packages; a project's are those of the very folder that Pi is started in. */
export function piSettings(scope: Scope, env: Environment, directory: string): string {
  switch (scope) {
    case "global":
      return join(piFolder(env), "settings.json");
    case "project":
      return join(resolve(directory), PI_IN_PROJECT, "settings.json");
  }
}
