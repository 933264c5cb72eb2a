import type { FoundHost } from "../host/find-host.ts";
import type { Environment } from "../host/places.ts";
import { readResolvedConfig } from "../host/resolved-config.ts";
import { runTrial } from "./trial.ts";
import { verdictOf } from "./verdict.ts";

/** Whether the plugin was seen at work in the user's own set-up. */
export type TryOut = "works" | "does-not";

export async function tryOut(
  host: FoundHost,
  directory: string,
  env: Environment,
): Promise<TryOut> {
  const config = await readResolvedConfig(host, directory, env);
  if (config.kind === "refused") return "does-not";
  const trial = await runTrial(host, directory, env, config.mcpServers);
  if (trial.kind === "failed") return "does-not";
  const { isLoaded, isFrozen, isTold } = verdictOf(trial);
  return isLoaded && isFrozen && isTold ? "works" : "does-not";
}
