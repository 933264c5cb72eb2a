// Which of the other plugins spoil what is sent.
import type { FoundHost } from "../../host/find-host.ts";
import type { Environment } from "../../host/places.ts";
import { PROMPTS, runTrial } from "../../live/trial.ts";
import { verdictOf } from "../../live/verdict.ts";
import { withPluginsAlone } from "./alone.ts";
import type { LoadedPlugin } from "./loaded-plugin.ts";

/**
 * Which plugins spoil the calls: each of the others alone with ours, in a config of its own. Called
 * only when the calls of the whole set-up are spoilt, as each takes a start of the host.
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
    if (trial.kind === "ran" && verdictOf(trial).break !== null) culprits.push(other.spec);
  }
  return culprits;
}
