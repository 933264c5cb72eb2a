// One recorded session on the real host, without the plugin and with it, and what an estimate says of it.
import type { SessionEstimate } from "../../../../cli/src/estimate/session-estimate.ts";
import {
  listSteps,
  listTurns,
  type RecordedSession,
} from "../../../../cli/src/simulation/recorded.ts";
import { RATES } from "../../billing/rates.ts";
import { MODELS, ROOMY_TOKENS } from "../../host/models.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import type { CallNote } from "../history/frugal-provider.ts";
import { OUR_SIDE } from "../history/sides.ts";
import type { InstalledPeer } from "../peer.ts";
import { estimateIn } from "./estimated.ts";
import { type ReplayedSession, replay } from "./replay.ts";
import {
  type SimulatedFigures,
  simulate,
  simulatedBillShare as simulatedShareOf,
} from "./simulated.ts";
import { mean, total } from "./sums.ts";

export interface HostedFigures {
  readonly recorded: RecordedSession;
  readonly stock: ReplayedSession;
  readonly ours: ReplayedSession;
  /** Null: no other plugin was measured. */
  readonly peer: (ReplayedSession & { readonly name: string }) | null;
  /** By the database of the run without the plugin. */
  readonly estimate: SessionEstimate;
  readonly simulated: SimulatedFigures;
}

interface HostedSettings {
  readonly peer: InstalledPeer | null;
  readonly onTurn: (done: number, turns: number) => void;
}

export async function hosted(
  recorded: RecordedSession,
  { peer, onTurn }: HostedSettings,
): Promise<HostedFigures> {
  const shared = { model: MODELS.anthropic, windowTokens: ROOMY_TOKENS, onTurn };
  const estimates: SessionEstimate[] = [];
  const onEnd = () => Promise.resolve();
  const besides = async ({ name, entry }: InstalledPeer) => ({
    name,
    ...(await replay(recorded, { ...shared, plugin: [entry], onEnd })),
  });
  const [stock, ours, beside] = await Promise.all([
    replay(recorded, {
      ...shared,
      plugin: [],
      onEnd: async (folder) => void estimates.push(await estimateIn(folder)),
    }),
    replay(recorded, { ...shared, plugin: OUR_SIDE.plugin, onEnd }),
    peer && besides(peer),
  ]);
  const [estimate] = estimates;
  if (!estimate) throw new Error("The run without the plugin has ended");
  const simulated = simulate(recorded, ROOMY_TOKENS);
  return { recorded, stock, ours, peer: beside, estimate, simulated };
}

export function sumBills({ calls }: ReplayedSession): number {
  return total(calls.map(({ bill }) => bill));
}

export function billShare({ ours, stock }: HostedFigures): number {
  return sumBills(ours) / sumBills(stock);
}

export function againPer100({ ours, recorded }: HostedFigures): number {
  return (100 * ours.askedAgain) / listSteps(recorded).length;
}

/** Of the simulated share from the host's. */
export function simulationError(one: HostedFigures): number {
  return Math.abs(simulatedShareOf(one.simulated) / billShare(one) - 1);
}

/** How far the estimate is from the bills of the calls that the database holds: titles are not in it. */
export function estimateErrors({ estimate, stock, ours }: HostedFigures) {
  return {
    paid: Math.abs(estimate.paidTokens / storedBill(stock) - 1),
    withPlugin: Math.abs(estimate.withPluginTokens.likely / storedBill(ours) - 1),
  };
}

function storedBill({ calls }: ReplayedSession): number {
  return total(calls.filter(({ kind }) => kind !== "title").map(({ bill }) => bill));
}

function mainCalls({ calls }: ReplayedSession): readonly CallNote[] {
  return calls.filter(({ kind }) => kind === "main");
}

/** Calls that changed what had been sent, and what each paid more than if it had read all of it. */
function measureRewrites(replayed: ReplayedSession): {
  readonly count: number;
  readonly cost: number;
} {
  const calls = mainCalls(replayed);
  const { write, read } = RATES.breakpoints;
  const costs = calls.flatMap(({ grows, usage }, at) => {
    const former = calls[at - 1];
    if (grows || !former) return [];
    if (usage.readTokens === 0) return [0];
    return [(write - read) * Math.max(0, former.promptTokens - usage.readTokens)];
  });
  return { count: costs.length, cost: total(costs) };
}

/** After a pause in which the record's caches died: of all, those after which nothing was read. */
export function countPauses({ recorded, ours }: HostedFigures): {
  readonly missedCacheCount: number;
  readonly pauseCount: number;
} {
  const times = listTurns(recorded)
    .flatMap(({ steps }) => steps)
    .flatMap(({ s }) => (s === undefined ? [] : [s]));
  const pauseCount = times.filter((s, at) => s - (times[at - 1] ?? s) > CACHE_SECONDS).length;
  const missedCacheCount = mainCalls(ours).filter(
    ({ usage }, at) => at > 0 && usage.readTokens === 0,
  ).length;
  return { missedCacheCount, pauseCount };
}

const CACHE_SECONDS = 300;

const COLUMNS: readonly Column[] = [
  { title: "session", align: "left" },
  { title: "made with", align: "left" },
  ...[
    "steps",
    "bill",
    "÷ stock",
    "in simulation",
    "÷ bound",
    "asked again per 100 steps",
    "extra calls",
    "rewrites",
    "they cost",
    "pauses kept",
    "largest context",
    "mean context",
    "estimate: paid",
    "estimate: with plugin",
  ].map((title): Column => ({ title, align: "right" })),
];

/** A row for each session, and one for their sum. */
export function hostTable(all: readonly HostedFigures[]): string {
  const sum = (of: (one: HostedFigures) => number) => total(all.map(of));
  const ours = sum((one) => sumBills(one.ours));
  const steps = sum(({ recorded }) => listSteps(recorded).length);
  const simulated = sum((one) => one.simulated.ours.bill) / sum((one) => one.simulated.stock.bill);
  const inSum = [
    "in sum",
    "",
    String(steps),
    whole(ours),
    (ours / sum((one) => sumBills(one.stock))).toFixed(3),
    simulated.toFixed(3),
    (ours / sum((one) => one.simulated.bound)).toFixed(2),
    ((100 * sum((one) => one.ours.askedAgain)) / steps).toFixed(1),
    String(sum((one) => one.ours.extraCalls)),
    String(sum((one) => measureRewrites(one.ours).count)),
    whole(sum((one) => measureRewrites(one.ours).cost)),
    `${sum((one) => countPauses(one).missedCacheCount)} of ${sum((one) => countPauses(one).pauseCount)}`,
    "",
    "",
    "",
    "",
  ];
  return markdownTable(COLUMNS, [...all.map(formatRow), inSum]);
}

function formatRow(one: HostedFigures): readonly string[] {
  const { recorded, stock, ours, simulated, estimate } = one;
  const sizes = mainCalls(ours).map(({ promptTokens }) => promptTokens);
  const { count, cost } = measureRewrites(ours);
  const { missedCacheCount, pauseCount } = countPauses(one);
  return [
    recorded.session,
    recorded.harness,
    String(listSteps(recorded).length),
    whole(sumBills(ours)),
    billShare(one).toFixed(3),
    simulatedShareOf(simulated).toFixed(3),
    (sumBills(ours) / simulated.bound).toFixed(2),
    againPer100(one).toFixed(1),
    String(ours.extraCalls),
    String(count),
    whole(cost),
    `${missedCacheCount} of ${pauseCount}`,
    ...[whole(Math.max(...sizes)), whole(mean(sizes))],
    `${(estimate.paidTokens / storedBill(stock)).toFixed(3)} of the bill`,
    `${(estimate.withPluginTokens.likely / storedBill(ours)).toFixed(3)} of the bill`,
  ];
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
