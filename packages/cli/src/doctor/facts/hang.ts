// Why the host does not answer: it is tried without plugins, and with each of them alone.
import { setTimeout as delay } from "node:timers/promises";
import type { FoundHost } from "../../host/find-host.ts";
import type { Environment } from "../../host/places.ts";
import { askConfig } from "../../host/resolved-config.ts";
import { PROMPTS, runTrial } from "../../live/trial.ts";
import { withPluginsAlone } from "./alone.ts";
import type { LoadedPlugin } from "./plugins.ts";

/** A host that did not answer, and what it takes for that. */
export interface Hang {
  readonly at: Stage;
  /** How long it was waited for with each plugin, or without any if it did not answer then either. */
  readonly waitedMs: number;
  /** Plugins with which alone it hangs. */
  readonly culprits: readonly string[];
  /** `host`: it hangs without any plugin too. */
  readonly without: "host" | "answers";
}

/** While plugins are loaded, or when a prompt is sent. */
export type Stage = "loading" | "prompting";

/** Starts beside each other: more would slow each other down until none is in time. */
const LANES = 2;

/** A plugin may need this many times as long as OpenCode without plugins, at the same moment. */
const TIMES = 3;
const MIN_MS = 5_000;
/** How many times the patience OpenCode may take without plugins: the machine may be busy for a moment. */
const BUSY_TIMES = 2;

interface HangQuestion {
  readonly host: FoundHost;
  readonly plugins: readonly LoadedPlugin[];
  readonly env: Environment;
  readonly at: Stage;
  /** How long a start may take on a machine that has nothing else to do. */
  readonly patienceMs: number;
  /** How long it took without plugins; null if that is not known yet. */
  readonly withoutMs: number | null;
}

export async function explainHang(question: HangQuestion): Promise<Hang> {
  const { plugins, at, patienceMs } = question;
  const without =
    question.withoutMs ?? answeredInMs([], question, AbortSignal.timeout(patienceMs * BUSY_TIMES));
  const waiting = [...plugins];
  const hanging = new Set<LoadedPlugin>();
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const deadline = deadlineAfter(without);
      if ((await answeredInMs([next], question, deadline)) === null) hanging.add(next);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const withoutMs = await without;
  if (withoutMs === null)
    return { at, waitedMs: patienceMs * BUSY_TIMES, culprits: [], without: "host" };
  const suspects = plugins.filter((plugin) => hanging.has(plugin));
  const culprits = suspects.length > 1 ? await stillHanging(suspects, question) : suspects;
  return {
    ...{ at, waitedMs: limitMs(withoutMs), without: "answers" },
    culprits: culprits.map(({ spec }) => spec),
  };
}

/**
 * Several plugins seldom hang at once, and a machine that is busy makes each of them look so: they are tried
 * again, one at a time, with more patience and beside a start without plugins.
 */
async function stillHanging(
  suspects: readonly LoadedPlugin[],
  question: HangQuestion,
): Promise<readonly LoadedPlugin[]> {
  const culprits: LoadedPlugin[] = [];
  for (const suspect of suspects) {
    const patience = AbortSignal.timeout(question.patienceMs * BUSY_TIMES);
    const without = answeredInMs([], question, patience);
    const deadline = deadlineAfter(without, BUSY_TIMES);
    const isHung = (await answeredInMs([suspect], question, deadline)) === null;
    // Where OpenCode alone isn't in time either, nothing is known of the plugin.
    if (isHung && (await without) !== null) culprits.push(suspect);
  }
  return culprits;
}

function limitMs(withoutMs: number): number {
  return Math.max(MIN_MS, Math.ceil(withoutMs) * TIMES);
}

/** When a start that begins now has taken so many times too long, by what one without plugins has taken. */
function deadlineAfter(withoutMs: number | null | Promise<number | null>, times = 1): AbortSignal {
  const began = performance.now();
  const controller = new AbortController();
  const end = async () => {
    const foundMs = await withoutMs;
    const leftMs = foundMs === null ? 0 : began + limitMs(foundMs) * times - performance.now();
    await delay(Math.max(0, leftMs), undefined, { ref: false });
    controller.abort();
  };
  void end();
  return controller.signal;
}

/** Null if it hangs. */
function answeredInMs(
  plugins: readonly LoadedPlugin[],
  { host, env, at }: HangQuestion,
  deadline: AbortSignal,
): Promise<number | null> {
  const began = performance.now();
  return withPluginsAlone(plugins, env, async (alone) => {
    const isHung = at === "loading" ? await loads(alone) : await prompts(alone);
    return isHung ? null : performance.now() - began;
  });

  async function loads(alone: { readonly directory: string; readonly env: Environment }) {
    return (await askConfig(host, { ...alone, deadline })).end === "out-of-time";
  }

  async function prompts(alone: { readonly directory: string; readonly env: Environment }) {
    // A plugin that hangs hangs at the first: the others need not wait for three answers.
    const first = PROMPTS.slice(0, 1);
    const trial = await runTrial({ host, ...alone, mcpServers: [], prompts: first, deadline });
    return trial.kind === "failed" && trial.fault === "hangs";
  }
}
