// Plays the demo's scenario on both hosts at once.
import { join } from "node:path";
import { actualBill } from "../billing/ideal.ts";
import { promptTokens } from "../billing/rates.ts";
import type { PluginEntry } from "../host/host.ts";
import { billed, type CallRecord } from "../provider/record.ts";
import { runScenario, type ScenarioRun } from "../scenario/run.ts";
import { describeStep, type Scenario } from "../scenario/step.ts";
import { gauge, type Progress } from "../terminal/progress.ts";
import { type DemoReport, type Side, type StepFigures, WITH } from "./report.ts";
import { askStatus } from "./status.ts";

/** The plugin, as its users name it by path. */
export const PLUGIN = join(import.meta.dir, "../../../plugin/src/index.ts");

/** Plays the scenario on both hosts at once: each has a provider and a cache of its own. */
export async function playBoth(scenario: Scenario, progress: Progress): Promise<DemoReport> {
  const line = progressLine(scenario.steps.length, progress);
  let status: string | null = null;
  const [without, with_] = await Promise.all([
    play(scenario, [], (label) => line.step("without", label)),
    play(
      scenario,
      [PLUGIN],
      (label) => line.step("with", label),
      async (client, session) => {
        status = await askStatus(client, session);
      },
    ),
  ]);
  progress.end();
  return {
    host: "OpenCode",
    provider: "a mock of Anthropic's Messages API, which bills as its prompt cache does",
    about: scenario.about,
    notes: [],
    steps: scenario.steps.map((step) => ({ label: describeStep(step) })),
    without: toSide(without),
    with: toSide(with_),
    status,
  };
}

type OnEnd = (...given: Parameters<typeof askStatus>) => Promise<void>;

function play(
  scenario: Scenario,
  plugin: readonly PluginEntry[],
  onStep: (label: string) => void,
  onEnd: OnEnd = () => Promise.resolve(),
): Promise<ScenarioRun> {
  return runScenario(scenario, {
    plugin,
    onStep: ({ label }) => onStep(label),
    onEnd: ({ client }, session) => onEnd(client, session),
  });
}

function toSide(run: ScenarioRun): Side {
  return {
    steps: run.steps.map(({ calls }) => stepFigures(calls)),
    totals: { bill: run.bill, ideal: run.idealWithRewrites },
  };
}

/** What one step's calls cost. */
export function stepFigures(calls: readonly CallRecord[]): StepFigures {
  const paid = billed(calls);
  return {
    bill: actualBill(paid),
    promptTokens: paid.reduce((sum, { usage }) => sum + promptTokens(usage), 0),
    readTokens: paid.reduce((sum, { usage }) => sum + usage.readTokens, 0),
  };
}

export type SideName = "without" | "with";

/** One line for two runs that go on at the same time. */
export function progressLine(total: number, progress: Progress) {
  const done = { without: 0, with: 0 };
  return {
    step(side: SideName, label: string): void {
      done[side] += 1;
      const gauges = `without ${gauge(done.without, total)}   with ${gauge(done.with, total)}`;
      const name = side === "with" ? WITH : "without";
      progress.update(
        `${gauges}   ${label}`,
        `${name.padEnd(WITH.length)} ${done[side]}/${total}  ${label}`,
      );
    },
  };
}
