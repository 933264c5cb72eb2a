// Checks that the plugin works, by a start of the host.
import { propertiesNamed } from "../config-file/document.ts";
import { readConfigFile } from "../config-file/read-file.ts";
import { scopeFiles } from "../host/config-places.ts";
import type { FoundHost } from "../host/find-host.ts";
import { TRIAL_PATIENCE_MS } from "../host/patience.ts";
import type { Environment } from "../host/places.ts";
import { PROMPTS, runTrial, type Trial } from "../live/trial.ts";
import { judgeTrial } from "../live/verdict.ts";

/** Says whether the plugin was seen working in the user's own set-up; `unseen` if no answer came in time. */
export type PluginCheckResult = "works" | "does-not" | "unseen";

/** Starts the host once, because the user waits. Doctor finds out what is wrong. */
export async function checkPluginWorks(
  host: FoundHost,
  directory: string,
  env: Environment,
): Promise<PluginCheckResult> {
  const mcpServers = mcpServersIn(directory, env);
  // The limit is generous, so that a slow host doesn't count as broken. Doctor measures more closely.
  const trial = await runTrial({
    host,
    directory,
    env,
    mcpServers,
    prompts: PROMPTS,
    deadline: AbortSignal.timeout(TRIAL_PATIENCE_MS),
  });
  return toPluginCheckResult(trial);
}

/** Judges a trial. Pure. */
export function toPluginCheckResult(trial: Trial): PluginCheckResult {
  if (trial.kind === "failed") return trial.fault === "hangs" ? "unseen" : "does-not";
  const { isLoaded, isFrozen, isAnnounced } = judgeTrial(trial);
  return isLoaded && isFrozen && isAnnounced ? "works" : "does-not";
}

/** Lists the MCP servers in the config files of user and project, without asking the host. */
function mcpServersIn(directory: string, env: Environment): readonly string[] {
  const paths = (["global", "project"] as const).flatMap(
    (scope) => scopeFiles(scope, env, directory).server,
  );
  return [...new Set(paths.flatMap(namesIn))];
}

function namesIn(path: string): readonly string[] {
  const file = readConfigFile(path);
  const root = file.kind === "present" ? file.document.root : null;
  if (root?.type !== "object") return [];
  return propertiesNamed(root, "mcp").flatMap((property) =>
    (property.children?.[1]?.children ?? []).map((server) => String(server.children?.[0]?.value)),
  );
}
