// Plays a scenario on a host, and bills it.
// Folder: Scripted sessions that demo and benchmarks play.
import { actualBill, idealBill, idealWithoutCredit } from "../billing/ideal.ts";
import { promptTokens } from "../billing/rates.ts";
import { type Host, type PluginEntry, STOCK, startHost } from "../host/host.ts";
import { billed, type CallRecord } from "../provider/record.ts";
import { startProvider } from "../provider/server.ts";
import { makeScenarioClock } from "./clock.ts";
import { firstDay, openStage } from "./stage.ts";
import { describeStep, type Scenario, type Step } from "./step.ts";

/** The calls of one step, and what they cost in equivalents of an uncached input token. */
interface StepResult {
  readonly step: Step;
  readonly label: string;
  readonly calls: readonly CallRecord[];
  readonly bill: number;
}

/**
 * One session's share, its ideal with rewrites as `ScenarioRun` has it, but without what would hide
 * waste: the title's call, which is too short to be cached and cheaper for it, is left out, and no call
 * is credited with what another session has paid.
 */
interface SessionBill {
  readonly session: string;
  readonly bill: number;
  readonly ideal: number;
}

export interface ScenarioRun {
  readonly scenario: Scenario;
  readonly steps: readonly StepResult[];
  readonly calls: readonly CallRecord[];
  readonly bill: number;
  /** Each token written once and read after; an undo, a compaction and the like write nothing again. */
  readonly ideal: number;
  /** As `ideal`, but what they change counts as new. */
  readonly idealWithRewrites: number;
  /** In the order in which they began. */
  readonly sessions: readonly SessionBill[];
  /** Of all prompt tokens, 0 to 1. */
  readonly readShare: number;
}

export interface RunSettings {
  /** Empty: the stock host. */
  readonly plugin: readonly PluginEntry[];
  readonly onStep: (result: StepResult, done: number, total: number) => void;
  /** Called when all steps are done, while the host still runs. */
  readonly onEnd: (host: Host, session: string) => Promise<void>;
}

/** The host without a plugin, played in silence. */
export const STOCK_RUN: RunSettings = {
  plugin: [],
  onStep: () => undefined,
  onEnd: () => Promise.resolve(),
};

/** Plays a scenario on the real host. */
export async function runScenario(scenario: Scenario, settings: RunSettings): Promise<ScenarioRun> {
  const clock = makeScenarioClock();
  const provider = await startProvider(clock.now);
  const { files } = scenario;
  const host = await startHost({
    ...STOCK,
    files,
    plugin: settings.plugin,
    providerUrl: provider.url,
    env: { ...clock.env, ...firstDay(scenario) },
  });
  try {
    const stage = await openStage({ host, provider, clock, files });
    const results: StepResult[] = [];
    for (const step of scenario.steps) {
      clock.step();
      const before = provider.requests.length;
      await stage.play(step);
      const result = toStepResult(step, provider.requests.slice(before));
      results.push(result);
      settings.onStep(result, results.length, scenario.steps.length);
    }
    await settings.onEnd(host, stage.session);
    return summary(scenario, results, stage.rewrites);
  } finally {
    await host.stop();
    await provider.stop();
    clock.remove();
  }
}

function toStepResult(step: Step, calls: readonly CallRecord[]): StepResult {
  return { step, label: describeStep(step), calls, bill: actualBill(billed(calls)) };
}

function summary(
  scenario: Scenario,
  steps: readonly StepResult[],
  rewrites: ReadonlySet<number>,
): ScenarioRun {
  const calls = steps.flatMap((step) => step.calls);
  const paid = billed(calls);
  const isRewrite = ({ index }: CallRecord) => rewrites.has(index);
  const promptSum = paid.reduce((sum, { usage }) => sum + promptTokens(usage), 0);
  const readSum = paid.reduce((sum, { usage }) => sum + usage.readTokens, 0);
  return {
    scenario,
    steps,
    calls,
    bill: actualBill(paid),
    ideal: idealBill(paid, "waste"),
    idealWithRewrites: idealBill(paid, isRewrite),
    sessions: [...new Set(paid.map(({ session }) => session))].map((session) => {
      const own = paid.filter((call) => call.session === session && call.kind !== "title");
      return { session, bill: actualBill(own), ideal: idealWithoutCredit(own, isRewrite) };
    }),
    readShare: readSum / promptSum,
  };
}
