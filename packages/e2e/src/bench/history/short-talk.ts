// A short talk, with nothing in it that could be dropped: what history and its tools cost it.

import { RATES } from "../../billing/rates.ts";
import { PLUGIN } from "../../demo/play.ts";
import { tokens } from "../../demo/show.ts";
import { MODELS, ROOMY_TOKENS } from "../../host/models.ts";
import type { Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import type { BenchRequest } from "../arguments.ts";
import { atMost, type Section } from "../section.ts";
import { writeDetails } from "./details.ts";
import { shortTalk } from "./plans.ts";
import type { PlayedCall, PlayedSession } from "./play-session.ts";
import { HISTORY_ON, listSides, OUR_SIDE, playOnSides, type Side } from "./sides.ts";

const CALLS = 24;
const MAX_RATIO = 1.01;
const MAX_FIRST_TOKENS = 450;

/** The tools of memory and notes, too. */
const ALL_ON: Side = {
  ...OUR_SIDE,
  name: "this plugin, all tools on",
  plugin: [[PLUGIN, { ...HISTORY_ON, memory: { enabled: true } }]],
};

const COLUMNS: readonly Column[] = [
  { title: "host with", align: "left" },
  { title: "bill", align: "right" },
  { title: "ideal", align: "right" },
  { title: "bill ÷ ideal", align: "right" },
  { title: "first request", align: "right" },
];

export async function measureShortTalk(
  progress: Progress,
  request: BenchRequest,
): Promise<Section> {
  const sides = await playOnSides({
    label: "history-short",
    scripts: [shortTalk(CALLS)],
    sides: [...listSides(request), ALL_ON],
    ...{ model: MODELS.anthropic, windowTokens: ROOMY_TOKENS },
    progress,
  });
  if (request.details !== null) writeDetails(request.details, "history-short", sides);
  const rows = sides.map(({ side, played }) => ({ side, ...computeFigures(played) }));
  const [stock, ours, allOn] = [rows.at(0), rows.at(-2), rows.at(-1)];
  if (!stock || !ours || !allOn) throw new Error("Both hosts must have played");
  const ratio = ours.bill / ours.ideal;
  const added = allOn.firstTokens - stock.firstTokens;
  return {
    name: "history-short",
    title: "A short talk with nothing to drop",
    body: [ABOUT, markdownTable(COLUMNS, rows.map(row))].join("\n\n"),
    verdicts: [
      atMost(`bill ÷ ideal at most ${MAX_RATIO}`, ratio, MAX_RATIO, ratio.toFixed(4)),
      atMost(
        `a first request at most ${MAX_FIRST_TOKENS} tokens larger than stock's, all on`,
        added,
        MAX_FIRST_TOKENS,
        `${added} tokens`,
      ),
    ],
  };
}

const ABOUT = `${CALLS} calls of little text. In the ideal, each token of the session's own requests is written once and read from then on; the title's call is left out.`;

interface Figures {
  readonly bill: number;
  readonly ideal: number;
  readonly firstTokens: number;
}

function computeFigures(played: readonly PlayedSession[]): Figures {
  const calls = played.flatMap((session) => session.calls).filter(({ kind }) => kind === "main");
  return {
    bill: calls.reduce((sum, { bill }) => sum + bill, 0),
    ideal: computeIdealBill(calls),
    firstTokens: calls[0]?.promptTokens ?? 0,
  };
}

function computeIdealBill(calls: readonly PlayedCall[]): number {
  const { read, write } = RATES.breakpoints;
  let former = 0;
  let sum = 0;
  for (const { promptTokens } of calls) {
    sum += read * former + write * (promptTokens - former);
    former = promptTokens;
  }
  return sum;
}

function row({ side, bill, ideal, firstTokens }: Figures & { readonly side: string }) {
  return [side, tokens(bill), tokens(ideal), (bill / ideal).toFixed(4), tokens(firstTokens)];
}
