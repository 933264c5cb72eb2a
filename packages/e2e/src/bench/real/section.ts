// Recorded sessions of real models: their bill against stock's and the least there is, on the host and simulated.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeBetweenMarks } from "../../../../../scripts/host-table.mjs";
import { type RecordedSession, readRecorded } from "../../../../cli/src/simulation/recorded.ts";
import { percent } from "../../demo/show.ts";
import { MIDDLE_TOKENS, ROOMY_TOKENS } from "../../host/models.ts";
import { gauge, type Progress } from "../../terminal/progress.ts";
import type { BenchRequest } from "../arguments.ts";
import { installPeer } from "../peer.ts";
import { atLeast, atMost, type Section } from "../section.ts";
import { besideSentence, besideTable, writePageRows } from "./beside.ts";
import {
  estimateErrors,
  type HostedFigures,
  hosted,
  hostTable,
  simulationError,
} from "./hosted.ts";
import { writePicture } from "./picture.ts";
import { SHORT_STEPS, truncateSession } from "./short.ts";
import {
  givenUpShare,
  layerTable,
  measureSpread,
  rewritesPer100,
  rewrittenShare,
  type SimulatedFigures,
  simulate,
  simulationTable,
} from "./simulated.ts";
import { measureStanding, standingTable } from "./standing.ts";

export const FILE = "sessions.jsonl";

/** Of four harnesses, short ones: a run of minutes. */
export const USUAL: readonly string[] = [
  "claude-ee286a",
  "codex-2d91f4",
  "codex-97b614",
  "opencode-271c1c",
  "opencode-948603",
  "copilot-f036b5",
];

const ROOT = join(import.meta.dir, "../../../../..");
const README = join(ROOT, "README.md");
/** They have the section's first sentences. */
const PAGES = [README, join(ROOT, "docs/history.md")];

/** Null: there are no records. */
export async function measureReal(
  progress: Progress,
  { traces, recorded: wanted }: BenchRequest,
): Promise<Section | null> {
  const all = recordsIn(traces, progress);
  if (all === null) return null;
  const names = wanted.length > 0 ? wanted : USUAL;
  const chosen = all.filter(({ session }) => names.includes("all") || names.includes(session));
  if (chosen.length === 0) throw new Error(`None of ${names.join(", ")} is in ${traces}`);
  progress.update("real: simulating", "real: simulating");
  const roomy = all.map((recorded) => simulate(recorded, ROOMY_TOKENS));
  const middle = all.map((recorded) => simulate(recorded, MIDDLE_TOKENS));
  const short = all.map((recorded) =>
    simulate(truncateSession(SHORT_STEPS, recorded), ROOMY_TOKENS),
  );
  const peer = installPeer();
  const onHost: HostedFigures[] = [];
  for (const recorded of chosen) {
    const onTurn = turnProgress(progress, recorded, onHost.length, chosen);
    onHost.push(await hosted(recorded, { peer, onTurn }));
    progress.update("", `real ${onHost.length}/${chosen.length} ${recorded.session}`);
  }
  const figures = { onHost, roomy, middle, short };
  writePicture(roomy, onHost);
  if (wanted.length === 0) {
    for (const page of PAGES) writeBetweenMarks(page, "real", renderSentence(figures));
    writePageRows(onHost);
    writeBetweenMarks(README, "beside", besideSentence(onHost));
  }
  return buildSection(figures);
}

/** Null: there are none, which it says. */
export function recordsIn(traces: string, progress: Progress): readonly RecordedSession[] | null {
  const file = join(traces, FILE);
  if (existsSync(file)) return readRecorded(readFileSync(file, "utf8"));
  progress.update(`real: no ${FILE} in ${traces}`, `real: no ${FILE} in ${traces}`);
  return null;
}

function turnProgress(
  progress: Progress,
  { session }: RecordedSession,
  done: number,
  { length }: readonly RecordedSession[],
) {
  return (turn: number, turns: number) => {
    const line = `real ${gauge(done, length)} ${session}, turn ${turn} of ${turns}`;
    progress.update(line, `real ${done + 1}/${length} ${session} turn ${turn}/${turns}`);
  };
}

export interface RealFigures {
  readonly onHost: readonly HostedFigures[];
  readonly roomy: readonly SimulatedFigures[];
  readonly middle: readonly SimulatedFigures[];
  /** In the roomy window, cut after `SHORT_STEPS`. */
  readonly short: readonly SimulatedFigures[];
}

const METHOD =
  "Recorded sessions of real models, as sizes, kinds, times and uses, without their words. Words are made up to size. Before a step the model asks again, by the call that brought it, for what the step uses and the request no longer holds. Caches die after five minutes by the record's clock, and the host's clock follows it; a pause is kept where the call after it read nothing. The bound is what one would pay who knew all uses ahead. Bills are in tokens at the price of uncached input, summaries by a model are off.";

const ON_HOST =
  "On the real host, in a window of 200,000 tokens. The last two columns are what `session-runtime estimate` says, from the database of the run without the plugin: what was paid, and what it would have been with the plugin, each against the bill of that run.";

const SIMULATED = "All sessions in simulation:";

const BESIDE =
  "The same sessions with OpenCode alone, with the plugin that most people use for this (from npm, its own defaults), and with this one. The model calls no tool that a plugin offers.";

const STANDS =
  "Words said earlier that stand in a call, word for word: the user's earlier prompts, those five or more turns back, and the lines of the answers that closed earlier turns. Means of the sessions' mean calls.";

const BY_LAYER =
  "What the mean session's bill is for there, in a window of 200,000 tokens, each share against the bound:";

export function buildSection(figures: RealFigures): Section {
  const { onHost, roomy, middle } = figures;
  const windows = new Map([
    [ROOMY_TOKENS, roomy],
    [MIDDLE_TOKENS, middle],
  ]);
  return {
    name: "real",
    title: "Recorded sessions of real models",
    body: [
      renderSentence(figures),
      METHOD,
      ON_HOST,
      hostTable(onHost),
      BESIDE,
      besideSentence(onHost),
      besideTable(onHost),
      SIMULATED,
      simulationTable(roomy, windows),
      STANDS,
      standingTable(windows),
      rewritesSentence(roomy),
      shortSentence(figures),
      BY_LAYER,
      layerTable(roomy),
    ].join("\n\n"),
    verdicts: judgeBench(figures),
  };
}

function rewritesSentence(roomy: readonly SimulatedFigures[]): string {
  const share = rewrittenShare(roomy);
  return `In a window of 200,000 tokens, ${rewritesPer100(roomy).toFixed(1)} of 100 calls rewrite. What they write of what had been sent before, records and stubs included, is ${percent(share)} of the bill; what they no longer read of the cache would have been ${percent(givenUpShare(roomy))} of it, had all of it been written again.`;
}

function shortSentence({ short }: RealFigures): string {
  const { share } = measureSpread(short);
  return `The same sessions cut after ${SHORT_STEPS} calls have a bill of ${percent(share.sum)} of OpenCode's alone, ${percent(share.worst)} in the worst.`;
}

/** The README and docs/history.md have it too. */
export function renderSentence({ roomy, middle, short, onHost }: RealFigures): string {
  const { sessions, steps, share, again } = measureSpread(roomy);
  const error = Math.max(...onHost.map(simulationError));
  const [ours, alone] = (["ours", "stock"] as const).map((side) =>
    percent(measureStanding(roomy, side, "prompts").mean),
  );
  const aloneInMiddle = percent(measureStanding(middle, "stock", "prompts").mean);
  return [
    `In ${sessions} recorded sessions of real models (${steps.toLocaleString("en-US")} calls), the bill for input with the plugin is **${percent(share.sum)}** of OpenCode's alone, ${percent(share.worst)} in the worst of them; of only their first ${SHORT_STEPS} calls, ${percent(measureSpread(short).share.sum)}.`,
    `In the mean call, ${ours} of your earlier prompts stand word for word; with OpenCode alone ${alone}, and ${aloneInMiddle} in a window of 60,000 tokens.`,
    `The model asks again for ${again.mean.toFixed(1)} results per 100 calls.`,
    `Simulated; on ${onHost.length} of them, the real OpenCode's bill differs by at most ${percent(error)}.`,
  ].join(" ");
}

function judgeBench({ onHost, roomy, middle }: RealFigures): Section["verdicts"] {
  const [wide, narrow] = [measureSpread(roomy), measureSpread(middle)];
  const errors = onHost.map(estimateErrors);
  const most = (target: string, value: number, limit: number) =>
    atMost(`${target} at most ${limit}`, value, limit, value.toFixed(3));
  return [
    most("bill ÷ stock, mean:", wide.share.mean, 0.41),
    most("bill ÷ stock, in sum:", wide.share.sum, 0.355),
    most("bill ÷ stock, worst session:", wide.share.worst, 0.75),
    most("bill ÷ stock in a window of 60,000, mean:", narrow.share.mean, 0.63),
    most("compactions and refused calls there:", narrow.compactions + narrow.refused, 0),
    // The bound folds all words for nothing; the user's and the closing answers are carried.
    most("bill ÷ bound, mean:", wide.overBound, 2),
    most("asked again per 100 steps, mean:", wide.again.mean, 8),
    most("asked again per 100 steps, worst session:", wide.again.worst, 18),
    most("asked again per 100 steps in a window of 60,000, mean:", narrow.again.mean, 11),
    most("rewrites per 100 calls:", rewritesPer100(roomy), 6),
    ...standingVerdicts(roomy, middle),
    most("simulation against host:", Math.max(...onHost.map(simulationError)), 0.02),
    most(
      "estimate of what was paid, against the bill:",
      Math.max(...errors.map(({ paid }) => paid)),
      0.001,
    ),
    most(
      "estimate with the plugin, against the bill:",
      Math.max(...errors.map(({ withPlugin }) => withPlugin)),
      0.05,
    ),
  ];
}

/** Prompts in the worst call there is, closing answers in the mean. */
function standingVerdicts(
  roomy: readonly SimulatedFigures[],
  middle: readonly SimulatedFigures[],
): Section["verdicts"] {
  const least = (target: string, value: number, limit: number) =>
    atLeast(`${target} at least ${percent(limit)}`, value, limit, percent(value));
  return [
    least(
      "earlier prompts whole, in each call:",
      measureStanding(roomy, "ours", "prompts").worstCall,
      1,
    ),
    least(
      "earlier prompts whole, in each call in a window of 60,000:",
      measureStanding(middle, "ours", "prompts").worstCall,
      1,
    ),
    least("lines of closing answers, mean:", measureStanding(roomy, "ours", "closings").mean, 0.75),
    least(
      "lines of closing answers in a window of 60,000, mean:",
      measureStanding(middle, "ours", "closings").mean,
      0.7,
    ),
  ];
}
