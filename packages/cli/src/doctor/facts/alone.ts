// A config of the host with some plugins and nothing else, for as long as it is looked at.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../host/places.ts";
import { inThrowawayFolder, NO_OTHER_CONFIG, settleFolder } from "../../host/throwaway.ts";
import type { LoadedPlugin } from "./loaded-plugin.ts";

interface Alone {
  readonly directory: string;
  readonly env: Environment;
}

export function withPluginsAlone<T>(
  plugins: readonly LoadedPlugin[],
  env: Environment,
  use: (alone: Alone) => Promise<T>,
): Promise<T> {
  return inThrowawayFolder("alone", (folder) => {
    const config = join(folder, "config/opencode");
    const directory = join(folder, "project");
    // A folder with .git is a project of its own: no config above it counts.
    mkdirSync(join(directory, ".git"), { recursive: true });
    settleFolder(config);
    const list = plugins.map(({ spec, options }) =>
      options === undefined ? spec : [spec, options],
    );
    writeFileSync(join(config, "opencode.json"), JSON.stringify({ plugin: list }), { mode: 0o600 });
    const place = { XDG_CONFIG_HOME: join(folder, "config") };
    return use({ directory, env: { ...env, ...place, ...NO_OTHER_CONFIG } });
  });
}
