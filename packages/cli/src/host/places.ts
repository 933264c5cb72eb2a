// Finds the folders of host and runtime, by the host's own rules.
import { homedir } from "node:os";
import { join } from "node:path";

/** Holds the environment variables that decide where files are. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Holds the folders of the host and of the runtime, by the host's own rules: XDG on every platform. */
export interface Places {
  readonly home: string;
  /** The user's folder with `opencode.json`, `tui.json` and `session-runtime.jsonc`. */
  readonly hostConfig: string;
  readonly hostData: string;
  /** The folder into which the host unpacks plugins from npm, one folder per spec. */
  readonly hostPackages: string;
  /** The host's last list of all models. */
  readonly hostModels: string;
  /** The folder of the runtime's database and log. */
  readonly runtimeData: string;
}

export function resolvePlaces(env: Environment): Places {
  const home = env.HOME || env.USERPROFILE || homedir();
  const config = env.XDG_CONFIG_HOME || join(home, ".config");
  const data = env.XDG_DATA_HOME || join(home, ".local/share");
  const cache = env.XDG_CACHE_HOME || join(home, ".cache");
  return {
    home,
    hostConfig: join(config, "opencode"),
    hostData: join(data, "opencode"),
    hostPackages: join(cache, "opencode/packages"),
    hostModels: join(cache, "opencode/models.json"),
    runtimeData: join(data, "session-runtime"),
  };
}

/** Reads a flag as the host does. */
export function isOn(value: string | undefined): boolean {
  return value === "1" || value?.toLowerCase() === "true";
}
