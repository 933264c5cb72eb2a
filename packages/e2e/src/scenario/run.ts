import { join } from "node:path";
import { actualBill, idealBill } from "../billing/ideal.ts";
import { promptTokens } from "../billing/rates.ts";
import type { Client } from "../client/client.ts";
import { type Files, writeFiles } from "../host/home.ts";
import { type Host, type PluginEntry, STOCK, startHost } from "../host/host.ts";
import { MODELS } from "../host/models.ts";
import { billed, type CallRecord } from "../provider/record.ts";
import { call, say } from "../provider/reply.ts";
import { type MockProvider, startProvider } from "../provider/server.ts";
import { labelOf, type Place, type Scenario, type Step } from "./step.ts";

/** The calls of one step, and what they cost in equivalents of an uncached input token. */
export interface StepResult {
  readonly step: Step;
  readonly label: string;
  readonly calls: readonly CallRecord[];
  readonly bill: number;
}

/**
 * One session's share, its ideal with rewrites as `ScenarioRun` has it. The title's call is left out:
 * it is too short to be cached, which is cheaper than the ideal's write and would hide waste.
 */
export interface SessionBill {
  readonly session: string;
  readonly bill: number;
  readonly ideal: number;
}

export interface ScenarioRun {
  readonly scenario: Scenario;
  readonly steps: readonly StepResult[];
  readonly calls: readonly CallRecord[];
  readonly bill: number;
  /** Each token written once and read after; an undo or a compaction writes nothing anew. */
  readonly ideal: number;
  /** As `ideal`, but what an undo or a compaction changes counts as new. */
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

/** So much time passes for the cache with every step, whatever the machine's speed. */
const STEP_MS = 20_000;

/** Plays a scenario on the real host. */
export async function runScenario(scenario: Scenario, settings: RunSettings): Promise<ScenarioRun> {
  let now = 0;
  const provider = await startProvider(() => now);
  const { files } = scenario;
  const host = await startHost({
    ...STOCK,
    files,
    plugin: settings.plugin,
    providerUrl: provider.url,
  });
  try {
    const stage = await openStage(host, provider, files);
    const results: StepResult[] = [];
    for (const step of scenario.steps) {
      now += STEP_MS;
      const before = provider.calls.length;
      await stage.play(step);
      const result = resultOf(step, provider.calls.slice(before));
      results.push(result);
      settings.onStep(result, results.length, scenario.steps.length);
    }
    await settings.onEnd(host, stage.session);
    return summary(scenario, results, stage.rewrites);
  } finally {
    await host.stop();
    await provider.stop();
  }
}

interface Stage {
  readonly session: string;
  /** Indexes of the calls that came first after an undo or a compaction. */
  readonly rewrites: ReadonlySet<number>;
  play(step: Step): Promise<void>;
}

async function openStage(host: Host, provider: MockProvider, files: Files): Promise<Stage> {
  const first = (await host.client.createSession()).id;
  const sessions = new Map<Place, { client: Client; id: string }>([
    ["first", { client: host.client, id: first }],
  ]);
  const rewrites = new Set<number>();
  let rewriting = false;

  async function session(place: Place) {
    const open = sessions.get(place);
    if (open) return open;
    const client = host.clientOf(host.addProject(place, files));
    const opened = { client, id: (await client.createSession()).id };
    sessions.set(place, opened);
    return opened;
  }

  async function turn(step: Extract<Step, { type: "turn" }>) {
    const { client, id } = await session(step.place);
    const before = provider.callsOf(id, "main").length;
    const read = call("read", { filePath: join(client.folder, step.file) });
    provider.script.queueFor(id, read, say(step.answer));
    await client.prompt(id, step.text, { agent: step.agent, model: MODELS.anthropic });
    const next = provider.callsOf(id, "main")[before];
    if (rewriting && next && id === first) {
      rewrites.add(next.index);
      rewriting = false;
    }
  }

  async function play(step: Step): Promise<void> {
    switch (step.type) {
      case "turn":
        return turn(step);
      case "edit":
        return writeFiles((await session(step.place)).client.folder, step.files);
      case "restart":
        return host.restart({});
      case "undo": {
        const messages = await host.client.messages(first);
        const last = messages.findLast(({ info }) => info.role === "user");
        if (last) await host.client.revert(first, last.info.id);
        rewriting = true;
        return;
      }
      case "compact":
        await host.client.summarize(first, MODELS.anthropic);
        rewriting = true;
    }
  }

  return { session: first, rewrites, play };
}

function resultOf(step: Step, calls: readonly CallRecord[]): StepResult {
  return { step, label: labelOf(step), calls, bill: actualBill(billed(calls)) };
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
      return { session, bill: actualBill(own), ideal: idealBill(own, isRewrite) };
    }),
    readShare: readSum / promptSum,
  };
}
