// Recorded sessions without a host: the bills, what was asked for again, and the least there is.
import { clairvoyantBill } from "../../../../cli/src/simulation/clairvoyant.ts";
import { LAYERS, LayerBill } from "../../../../cli/src/simulation/layers.ts";
import { type PlayedSession, play } from "../../../../cli/src/simulation/play.ts";
import { listSteps, type RecordedSession } from "../../../../cli/src/simulation/recorded.ts";
import type { Model } from "../../../../cli/src/simulation/settings.ts";
import {
  type InstructionFigures,
  InstructionTracker,
} from "../../../../cli/src/simulation/standing-words.ts";
import { OWN_FRONT_TOKENS, usualHistory } from "../../../../cli/src/simulation/usual.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import { mean, total } from "./sums.ts";

export interface SimulatedFigures {
  readonly recorded: RecordedSession;
  readonly stock: PlayedSession;
  readonly ours: PlayedSession;
  readonly bound: number;
  /** Of our bill. */
  readonly layers: LayerBill;
  /** What of earlier prompts and closing answers stood in the calls. */
  readonly standing: { readonly stock: InstructionFigures; readonly ours: InstructionFigures };
}

/** What the throwaway host sends before the messages. */
const FRONT_TOKENS = 8_200;
/** What its models may answer. */
const ANSWER_TOKENS = 4_000;

export function simulate(recorded: RecordedSession, windowTokens: number): SimulatedFigures {
  const model: Model = {
    windowTokens,
    usableTokens: windowTokens - ANSWER_TOKENS,
    ttlMs: 300_000,
    rates: { read: 0.1, write: 1.25, lookBackBlocks: 20 },
    frontTokens: FRONT_TOKENS,
  };
  const ours = { ...model, frontTokens: FRONT_TOKENS + OWN_FRONT_TOKENS };
  const layers = new LayerBill(recorded, ours);
  const words = { stock: new InstructionTracker(recorded), ours: new InstructionTracker(recorded) };
  const played = {
    stock: play(recorded, model, null, words.stock.watch),
    ours: play(recorded, ours, usualHistory(), (session, place) => {
      layers.watch(session, place);
      words.ours.watch(session, place);
    }),
  };
  return {
    recorded,
    layers,
    ...played,
    bound: clairvoyantBill(recorded, model),
    standing: { stock: words.stock.figures, ours: words.ours.figures },
  };
}

export function simulatedBillShare({ ours, stock }: SimulatedFigures): number {
  return ours.bill / stock.bill;
}

export function againPer100({ ours, recorded }: SimulatedFigures): number {
  return (100 * ours.askedAgain) / listSteps(recorded).length;
}

/** Of all calls of all sessions. */
export function rewritesPer100(all: readonly SimulatedFigures[]): number {
  const calls = total(all.map(({ ours }) => ours.calls));
  return (100 * total(all.map(({ ours }) => ours.rewrites.length))) / Math.max(1, calls);
}

/** What rewrites wrote beside what had come since the call before, in the sum of the bills. */
export function rewrittenShare(all: readonly SimulatedFigures[]): number {
  return total(all.map(({ layers }) => layers.rewritten)) / total(all.map(({ ours }) => ours.bill));
}

/**
 * What the calls that rewrote would have read of the call before, at the price of writing it, in the sum of
 * the bills: more than they wrote, as most of it went.
 */
export function givenUpShare(all: readonly SimulatedFigures[]): number {
  const costs = all.flatMap(({ ours }) => ours.rewrites.map(({ cost }) => cost));
  return total(costs) / total(all.map(({ ours }) => ours.bill));
}

/** Of several sessions. */
export interface Spread {
  readonly sessions: number;
  readonly steps: number;
  readonly share: { readonly mean: number; readonly sum: number; readonly worst: number };
  readonly overBound: number;
  readonly again: { readonly mean: number; readonly worst: number };
  /** Calls that compact, and calls beyond the window. */
  readonly compactions: number;
  readonly refused: number;
}

export function measureSpread(simulated: readonly SimulatedFigures[]): Spread {
  const shares = simulated.map(simulatedBillShare);
  const again = simulated.map(againPer100);
  const bills = (of: (one: SimulatedFigures) => number) => total(simulated.map(of));
  return {
    sessions: simulated.length,
    steps: bills(({ recorded }) => listSteps(recorded).length),
    share: {
      mean: mean(shares),
      sum: bills(({ ours }) => ours.bill) / bills(({ stock }) => stock.bill),
      worst: Math.max(...shares),
    },
    overBound: mean(simulated.map(({ ours, bound }) => ours.bill / bound)),
    again: { mean: mean(again), worst: Math.max(...again) },
    compactions: bills(({ ours }) => ours.compactions),
    refused: bills(({ ours }) => ours.refused),
  };
}

const COLUMNS: readonly Column[] = [
  { title: "simulated sessions made with", align: "left" },
  ...["window", "sessions", "steps", "÷ stock, mean", "in sum", "worst"].map(right),
  ...["÷ bound, mean", "asked again per 100 steps, mean", "worst"].map(right),
];

function right(title: string): Column {
  return { title, align: "right" };
}

/** A row for each harness, one for each half of the sessions, then one for all in each window. */
export function simulationTable(
  roomy: readonly SimulatedFigures[],
  windows: ReadonlyMap<number, readonly SimulatedFigures[]>,
): string {
  const byHarness = Map.groupBy(roomy, ({ recorded }) => recorded.harness);
  const [roomyTokens = 0] = windows.keys();
  return markdownTable(COLUMNS, [
    ...[...byHarness].map(([harness, some]) =>
      formatRow(harness, roomyTokens, measureSpread(some)),
    ),
    // A constant is chosen on one half and reported on the other.
    formatRow("every other, from the first", roomyTokens, measureSpread(everyOther(roomy, 0))),
    formatRow("every other, from the second", roomyTokens, measureSpread(everyOther(roomy, 1))),
    ...[...windows].map(([tokens, all]) => formatRow("all", tokens, measureSpread(all))),
  ]);
}

function everyOther(all: readonly SimulatedFigures[], from: 0 | 1): readonly SimulatedFigures[] {
  return all.filter((_, index) => index % 2 === from);
}

const HARNESS_COLUMNS: readonly Column[] = [
  { title: "made with", align: "left" },
  ...["sessions", "÷ bound, mean", "the others", "ratio"].map(right),
  ...["÷ stock, mean", "the others", "bound ÷ stock, mean", "the others"].map(right),
];

interface Harness {
  readonly name: string;
  readonly own: readonly SimulatedFigures[];
  readonly others: readonly SimulatedFigures[];
}

/** Each harness against the sessions of all others. */
function groupByHarness(all: readonly SimulatedFigures[]): readonly Harness[] {
  const byName = Map.groupBy(all, ({ recorded }) => recorded.harness);
  return [...byName].map(([name, own]) => ({
    name,
    own,
    others: all.filter((one) => !own.includes(one)),
  }));
}

const overBound = (some: readonly SimulatedFigures[]) =>
  mean(some.map(({ ours, bound }) => ours.bill / bound));
const overStock = (some: readonly SimulatedFigures[]) => mean(some.map(simulatedBillShare));
const boundOverStock = (some: readonly SimulatedFigures[]) =>
  mean(some.map(({ stock, bound }) => bound / stock.bill));

/** Of the harness that is furthest above all others: its mean bill ÷ bound, for one of theirs. */
export function worstHarness(all: readonly SimulatedFigures[]): number {
  return Math.max(
    ...groupByHarness(all).map(({ own, others }) => overBound(own) / overBound(others)),
  );
}

export function harnessTable(all: readonly SimulatedFigures[]): string {
  return markdownTable(
    HARNESS_COLUMNS,
    groupByHarness(all).map(({ name, own, others }) => [
      ...[name, String(own.length)],
      ...[overBound(own), overBound(others), overBound(own) / overBound(others)].map((value) =>
        value.toFixed(2),
      ),
      ...[overStock(own), overStock(others), boundOverStock(own), boundOverStock(others)].map(
        (value) => value.toFixed(3),
      ),
    ]),
  );
}

const LAYER_COLUMNS: readonly Column[] = [
  { title: "what the bill is for, ÷ bound", align: "left" },
  ...["read", "written", "written again"].map(right),
];

/** Of the mean session. */
export function layerTable(simulated: readonly SimulatedFigures[]): string {
  const rows = LAYERS.map((layer) => {
    const shares = (["readCost", "writeCost", "rewriteCost"] as const).map((how) =>
      mean(simulated.map(({ layers, bound }) => layers.of(layer)[how] / bound)).toFixed(3),
    );
    return [layer, ...shares];
  });
  return markdownTable(LAYER_COLUMNS, rows);
}

function formatRow(name: string, windowTokens: number, spread: Spread): readonly string[] {
  const { sessions, steps, share, overBound, again } = spread;
  return [
    ...[
      name,
      windowTokens.toLocaleString("en-US"),
      String(sessions),
      steps.toLocaleString("en-US"),
    ],
    ...[share.mean, share.sum, share.worst].map((value) => value.toFixed(3)),
    overBound.toFixed(2),
    ...[again.mean, again.worst].map((value) => value.toFixed(1)),
  ];
}
