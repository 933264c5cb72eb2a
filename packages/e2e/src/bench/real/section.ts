// Recorded sessions of real models: their bill on the real host against stock's and the least there is.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { clairvoyantBill } from "../../../../plugin/src/simulation/clairvoyant.ts";
import { play } from "../../../../plugin/src/simulation/play.ts";
import {
  type RecordedSession,
  readRecorded,
  stepsOf,
} from "../../../../plugin/src/simulation/recorded.ts";
import type { Model } from "../../../../plugin/src/simulation/settings.ts";
import { OWN_FRONT_TOKENS, usualHistory } from "../../../../plugin/src/simulation/usual.ts";
import { MODELS, ROOMY_TOKENS } from "../../host/models.ts";
import { gauge, type Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import type { BenchRequest } from "../arguments.ts";
import { OUR_SIDE } from "../history/sides.ts";
import { atMost, type Section } from "../section.ts";
import { type Replayed, replay, SILENT } from "./replay.ts";

const FILE = "sessions.jsonl";

/** Of each harness, short ones: a run of minutes. */
const USUAL: readonly string[] = [
  ...["claude-0d87ec", "claude-ee286a", "codex-2d91f4", "opencode-271c1c", "opencode-948603"],
  "opencode-8d6b36",
];

/** What the throwaway host sends before the messages, without the plugin and with it. */
const FRONT_TOKENS = { stock: 8_200, ours: 8_200 + OWN_FRONT_TOKENS } as const;

const MODEL: Omit<Model, "frontTokens"> = {
  ...{ windowTokens: ROOMY_TOKENS, usableTokens: ROOMY_TOKENS - 4_000, ttlMs: 300_000 },
  rates: { read: 0.1, write: 1.25, lookBackBlocks: 20 },
};

interface Measured {
  readonly recorded: RecordedSession;
  readonly stock: Replayed;
  readonly ours: Replayed;
  /** Of our bill ÷ stock's, without the host. */
  readonly simulated: number;
  readonly bound: number;
}

/** Null: there are no records. */
export async function measureReal(
  progress: Progress,
  { traces, recorded: wanted }: BenchRequest,
): Promise<Section | null> {
  const file = join(traces, FILE);
  if (!existsSync(file)) {
    progress.update(`real: no ${FILE} in ${traces}`, `real: no ${FILE} in ${traces}`);
    return null;
  }
  const names = wanted.length > 0 ? wanted : USUAL;
  const chosen = readRecorded(readFileSync(file, "utf8")).filter(
    ({ session }) => names.includes("all") || names.includes(session),
  );
  if (chosen.length === 0) throw new Error(`None of ${names.join(", ")} is in ${file}`);
  const measured: Measured[] = [];
  for (const recorded of chosen) {
    measured.push(await measure(recorded));
    const { length } = measured;
    const line = `real ${gauge(length, chosen.length)} ${recorded.session}`;
    progress.update(line, `real ${length}/${chosen.length} ${recorded.session}`);
  }
  return sectionOf(measured);
}

async function measure(recorded: RecordedSession): Promise<Measured> {
  const shared = { model: MODELS.anthropic, windowTokens: ROOMY_TOKENS, ...SILENT };
  const [stock, ours] = await Promise.all([
    replay(recorded, { ...shared, plugin: [] }),
    replay(recorded, { ...shared, plugin: OUR_SIDE.plugin }),
  ]);
  const alone = play(recorded, { ...MODEL, frontTokens: FRONT_TOKENS.stock }, null);
  const folded = play(recorded, { ...MODEL, frontTokens: FRONT_TOKENS.ours }, usualHistory());
  const bound = clairvoyantBill(recorded, { ...MODEL, frontTokens: FRONT_TOKENS.stock });
  return { recorded, stock, ours, simulated: folded.bill / alone.bill, bound };
}

const COLUMNS: readonly Column[] = [
  { title: "session", align: "left" },
  { title: "made with", align: "left" },
  { title: "steps", align: "right" },
  { title: "bill ÷ stock", align: "right" },
  { title: "in simulation", align: "right" },
  { title: "÷ bound", align: "right" },
  { title: "asked again, per 100 steps", align: "right" },
  { title: "extra calls", align: "right" },
  { title: "rewrites", align: "right" },
  { title: "largest context", align: "right" },
  { title: "mean context", align: "right" },
];

const METHOD =
  "Recorded sessions of real models, as sizes, kinds, times and uses, replayed in a window of 200,000 tokens. Words are made up to size. Before a step the model asks again, by the call that brought it, for what the step uses and the request no longer holds. Caches die after five minutes by the record's clock, and the host's clock follows it. The bound is what one would pay who knew all uses ahead. Summaries by a model are off.";

function sectionOf(measured: readonly Measured[]): Section {
  const stock = total(measured.map((one) => billOf(one.stock)));
  const ours = total(measured.map((one) => billOf(one.ours)));
  const shares = measured.map(shareOf);
  const overBound = measured.map((one) => billOf(one.ours) / one.bound);
  const again = measured.map(againPer100);
  const most = (target: string, value: number, limit: number) =>
    atMost(`${target} at most ${limit}`, value, limit, value.toFixed(3));
  return {
    name: "real",
    title: "Recorded sessions of real models",
    body: [METHOD, markdownTable(COLUMNS, measured.map(rowOf))].join("\n\n"),
    verdicts: [
      most("bill ÷ stock, mean:", mean(shares), 0.4),
      most("bill ÷ stock, in sum:", ours / stock, 0.36),
      most("bill ÷ stock, worst session:", Math.max(...shares), 0.85),
      most("bill ÷ bound, mean:", mean(overBound), 1.7),
      most("asked again per 100 steps, mean:", mean(again), 4),
      most("asked again per 100 steps, worst session:", Math.max(...again), 12),
      most("simulation against host:", Math.max(...measured.map(differenceOf)), 0.02),
    ],
  };
}

function rowOf(one: Measured): readonly string[] {
  const { recorded, ours, simulated, bound } = one;
  const main = ours.calls.filter(({ kind }) => kind === "main");
  const sizes = main.map(({ promptTokens }) => promptTokens);
  return [
    ...[recorded.session, recorded.harness, String(stepsOf(recorded).length)],
    ...[shareOf(one).toFixed(3), simulated.toFixed(3), (billOf(ours) / bound).toFixed(2)],
    ...[againPer100(one).toFixed(1), String(ours.extraCalls)],
    String(main.slice(1).filter(({ grows }) => !grows).length),
    ...[Math.max(...sizes), Math.round(mean(sizes))].map((size) => size.toLocaleString("en-US")),
  ];
}

function billOf({ calls }: Replayed): number {
  return total(calls.map(({ bill }) => bill));
}

function shareOf({ ours, stock }: Measured): number {
  return billOf(ours) / billOf(stock);
}

function againPer100({ ours, recorded }: Measured): number {
  return (100 * ours.askedAgain) / stepsOf(recorded).length;
}

function differenceOf(one: Measured): number {
  return Math.abs(one.simulated / shareOf(one) - 1);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function mean(values: readonly number[]): number {
  return total(values) / Math.max(1, values.length);
}
