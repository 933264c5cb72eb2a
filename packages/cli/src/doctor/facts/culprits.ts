// Which plugins break calls when they run alone with ours.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FoundHost } from "../../host/find-host.ts";
import type { Environment } from "../../host/places.ts";
import { runTrial } from "../../live/trial.ts";
import { verdictOf } from "../../live/verdict.ts";
import { settleFolder } from "../../setup/settle-folder.ts";
import type { LoadedPlugin } from "./facts.ts";

/**
 * Which plugins spoil the calls: each of the others alone with ours, in a config of its own. Called
 * only when the calls of the whole set-up are spoilt, as each takes a start of the host.
 */
export async function findCulprits(
  host: FoundHost,
  plugins: readonly LoadedPlugin[],
  env: Environment,
  tell: (spec: string) => void,
): Promise<readonly string[]> {
  const ours = plugins.filter(({ isOurs }) => isOurs).map(({ spec }) => spec);
  const culprits: string[] = [];
  for (const { spec } of plugins.filter(({ isOurs }) => !isOurs)) {
    tell(spec);
    if (await isSpoilt(host, [...ours, spec], env)) culprits.push(spec);
  }
  return culprits;
}

async function isSpoilt(host: FoundHost, specs: readonly string[], env: Environment) {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-alone-"));
  try {
    const config = join(folder, "config/opencode");
    const project = join(folder, "project");
    mkdirSync(project);
    settleFolder(config);
    writeFileSync(join(config, "opencode.json"), JSON.stringify({ plugin: specs }));
    const alone = {
      ...env,
      XDG_CONFIG_HOME: join(folder, "config"),
      OPENCODE_CONFIG: undefined,
      OPENCODE_CONFIG_DIR: undefined,
    };
    const trial = await runTrial(host, project, alone, []);
    return trial.kind === "ran" && verdictOf(trial).break !== null;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
