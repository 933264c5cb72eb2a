// Why the host does not answer: it is tried without plugins, and with each of them alone.
import type { FoundHost } from "../../host/find-host.ts";
import type { Environment } from "../../host/places.ts";
import { askConfig } from "../../host/resolved-config.ts";
import { PROMPTS, runTrial } from "../../live/trial.ts";
import { withPluginsAlone } from "./alone.ts";
import type { LoadedPlugin } from "./loaded-plugin.ts";

/** A host that did not answer within `patienceMs`, and what it takes for that. */
export interface Hang {
  readonly at: Stage;
  readonly patienceMs: number;
  /** Plugins with which alone it hangs. */
  readonly culprits: readonly string[];
  /** `host`: it hangs without any plugin too. */
  readonly without: "host" | "answers";
}

/** While plugins are loaded, or when a prompt is sent. */
type Stage = "loading" | "prompting";

/** Starts beside each other: more would slow each other down until none is in time. */
const LANES = 3;

export interface HangQuestion {
  readonly host: FoundHost;
  readonly plugins: readonly LoadedPlugin[];
  readonly env: Environment;
  readonly at: Stage;
  readonly patienceMs: number;
}

export async function explainHang(question: HangQuestion): Promise<Hang> {
  const { plugins, at, patienceMs } = question;
  // While it loads plugins it hangs with them only: it has answered without them already.
  const waiting = at === "loading" ? [...plugins] : [null, ...plugins];
  const hanging: (LoadedPlugin | null)[] = [];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (await hangsWith(next === null ? [] : [next], question)) hanging.push(next);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const culprits = plugins.filter((plugin) => hanging.includes(plugin)).map(({ spec }) => spec);
  return { at, patienceMs, culprits, without: hanging.includes(null) ? "host" : "answers" };
}

function hangsWith(
  plugins: readonly LoadedPlugin[],
  { host, env, at, patienceMs }: HangQuestion,
): Promise<boolean> {
  return withPluginsAlone(plugins, env, async (alone) => {
    if (at === "loading") {
      const { end } = await askConfig(host, { ...alone, patienceMs });
      return end === "out-of-time";
    }
    // A plugin that hangs hangs at the first: the others need not wait for three answers.
    const prompts = PROMPTS.slice(0, 1);
    const trial = await runTrial({ host, ...alone, mcpServers: [], prompts, patienceMs });
    return trial.kind === "failed" && trial.fault === "hangs";
  });
}
