// Finds why the host does not answer, by trying it without plugins and with each one alone.
import { setTimeout as delay } from "node:timers/promises";
import type { FoundHost } from "../../host/find-host.ts";
import type { Environment } from "../../host/places.ts";
import { askConfig } from "../../host/resolved-config.ts";
import { PROMPTS, runTrial } from "../../live/trial.ts";
import { withPluginsAlone } from "./alone.ts";
import type { LoadedPlugin } from "./plugins.ts";

/** Describes a host that did not answer, and what causes it. */
export interface Hang {
  readonly at: Stage;
  /** The wait for the host with each plugin, or without plugins if it did not answer then either. */
  readonly waitedMs: number;
  /** The plugins that make the host hang by themselves. */
  readonly culprits: readonly string[];
  /** `host`: it hangs without plugins, too. */
  readonly without: "host" | "answers";
}

/** Names the stage that hangs: loading plugins, or sending a prompt. */
export type Stage = "loading" | "prompting";

/** Limits parallel starts: more would slow each other down until none is in time. */
const LANES = 2;

/** A plugin may need this many times as long as OpenCode without plugins, at the same moment. */
const TIMES = 3;
const MIN_MS = 5_000;
/** Multiplies the patience for OpenCode without plugins, because the machine may be briefly busy. */
const BUSY_TIMES = 2;

interface HangQuestion {
  readonly host: FoundHost;
  readonly plugins: readonly LoadedPlugin[];
  readonly env: Environment;
  readonly at: Stage;
  /** The time that a start may take on an otherwise idle machine. */
  readonly patienceMs: number;
  /** The time that a start without plugins took; null if it is not known yet. */
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
 * Tries several suspects again, one at a time, with more patience and beside a start without plugins: plugins seldom
 * hang at once, but a busy machine makes each of them look so.
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
    // If OpenCode alone isn't in time either, this says nothing about the plugin.
    if (isHung && (await without) !== null) culprits.push(suspect);
  }
  return culprits;
}

function limitMs(withoutMs: number): number {
  return Math.max(MIN_MS, Math.ceil(withoutMs) * TIMES);
}

/** Aborts when a start that begins now has taken `times` its limit, which a start without plugins sets. */
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

/** Returns the time to an answer; null if the host hangs. */
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
    // A plugin that hangs does so at the first prompt, so the others need not wait for three answers.
    const first = PROMPTS.slice(0, 1);
    const trial = await runTrial({ host, ...alone, mcpServers: [], prompts: first, deadline });
    return trial.kind === "failed" && trial.fault === "hangs";
  }
}
