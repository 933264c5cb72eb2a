// Whether the plugin was seen at work.
import type { FoundHost } from "../host/find-host.ts";
import { mcpServersIn } from "../host/mcp-servers.ts";
import type { Environment } from "../host/places.ts";
import { PROMPTS, runTrial } from "./trial.ts";
import { verdictOf } from "./verdict.ts";

const PATIENCE_MS = 120_000;

/** Whether the plugin was seen at work in the user's own set-up. */
export type TryOut = "works" | "does-not";

/** One start of the host: somebody waits for it. What is wrong is for doctor to find. */
export async function tryOut(
  host: FoundHost,
  directory: string,
  env: Environment,
): Promise<TryOut> {
  const mcpServers = mcpServersIn(directory, env);
  // Doctor looks closer; here nobody waits for a host that takes its time for a good reason.
  const trial = await runTrial({
    host,
    directory,
    env,
    mcpServers,
    prompts: PROMPTS,
    deadline: AbortSignal.timeout(PATIENCE_MS),
  });
  if (trial.kind === "failed") return "does-not";
  const { isLoaded, isFrozen, isTold } = verdictOf(trial);
  return isLoaded && isFrozen && isTold ? "works" : "does-not";
}
