// Starts the host with selected plugins in a config of their own, and finds those that change sent text.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FoundHost } from "../../host/find-host.ts";
import type { Environment } from "../../host/places.ts";
import { inThrowawayFolder, NO_OTHER_CONFIG, settleFolder } from "../../host/throwaway.ts";
import { PROMPTS, runTrial } from "../../live/trial.ts";
import { judgeTrial } from "../../live/verdict.ts";
import type { LoadedPlugin } from "./plugins.ts";

interface PluginAlone {
  readonly directory: string;
  readonly env: Environment;
}

export function withPluginsAlone<T>(
  plugins: readonly LoadedPlugin[],
  env: Environment,
  use: (alone: PluginAlone) => Promise<T>,
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

/**
 * Finds the plugins that change sent text: starts the host with each of the others beside ours, in a config of its
 * own. Each takes a start of the host, so this is called only when the whole set-up shows such changes.
 */
export async function findCulprits(
  host: FoundHost,
  plugins: readonly LoadedPlugin[],
  { env, patienceMs }: { readonly env: Environment; readonly patienceMs: number },
  tell: (spec: string) => void,
): Promise<readonly string[]> {
  const ours = plugins.filter(({ isOurs }) => isOurs);
  const culprits: string[] = [];
  for (const other of plugins.filter(({ isOurs }) => !isOurs)) {
    tell(other.spec);
    const trial = await withPluginsAlone([...ours, other], env, (alone) =>
      runTrial({
        host,
        ...alone,
        mcpServers: [],
        prompts: PROMPTS,
        deadline: AbortSignal.timeout(patienceMs),
      }),
    );
    if (trial.kind === "ran" && judgeTrial(trial).break !== null) culprits.push(other.spec);
  }
  return culprits;
}
