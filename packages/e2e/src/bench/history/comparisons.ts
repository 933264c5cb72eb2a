// Long sessions without questions: their bill against the stock host's.
import { percent, tokens } from "../../demo/show.ts";
import {
  MIDDLE_TOKENS,
  MODELS,
  type ModelRef,
  ROOMY_TOKENS,
  VAST_TOKENS,
} from "../../host/models.ts";
import type { Progress } from "../../terminal/progress.ts";
import { markdownTable } from "../../terminal/table.ts";
import type { BenchRequest } from "../arguments.ts";
import { atMost, type Section, type Verdict } from "../section.ts";
import type { SectionName } from "../targets.ts";
import { writeDetails } from "./details.ts";
import {
  largeOutputs,
  manyTurns,
  oneLongTurn,
  readingAgain,
  readingAnythingAgain,
} from "./plans.ts";
import type { SessionScript } from "./session-script.ts";
import { SIDE_COLUMNS, sideRow } from "./side-table.ts";
import { listSides, OUR_SIDE, type PlayedSide, playOnSides, STOCK_SIDE } from "./sides.ts";
import { type Tally, tallySessions } from "./tally.ts";

interface Comparison {
  readonly name: SectionName;
  readonly title: string;
  readonly about: string;
  readonly script: () => SessionScript;
  readonly model: ModelRef;
  readonly windowTokens: number;
  /** Of stock's bill. */
  readonly mostShare: number;
}

const ROOMY = { model: MODELS.anthropic, windowTokens: ROOMY_TOKENS };

export const ONE_TURN: Comparison = {
  ...{ name: "history-turn", title: "One turn of 300 calls", ...ROOMY, mostShare: 0.5 },
  about: "A headless run: one prompt, then 300 calls of the model, in a window of 200,000 tokens.",
  script: () => oneLongTurn(300, 1.3),
};

export const VAST: Comparison = {
  ...{ name: "history-1m", title: "A window of a million tokens", mostShare: 0.2 },
  ...{ model: MODELS.vast, windowTokens: VAST_TOKENS },
  about: "150 turns of large outputs, in a window that they don't fill.",
  script: () => manyTurns(150, 2.4),
};

export const SMALL: Comparison = {
  ...{ name: "history-small", title: "Large outputs in a small window", mostShare: 0.7 },
  ...{ model: MODELS.middle, windowTokens: MIDDLE_TOKENS },
  about:
    "Eight turns, each with a command that prints 40 KB and three small calls, in a window of 60,000 tokens.",
  script: () => largeOutputs(8, 1, 40_000),
};

export const SMALL_FULL: Comparison = {
  ...{ name: "history-small-full", title: "Turns that fill a small window", mostShare: 0.7 },
  ...{ model: MODELS.middle, windowTokens: MIDDLE_TOKENS },
  about:
    "Eight turns, each with four commands that print 40 KB and three small calls, in a window of 60,000 tokens.",
  script: () => largeOutputs(8, 4, 40_000),
};

export const REREADING: Comparison = {
  ...{ name: "history-rereading", title: "A model that reads again", mostShare: 1.05 },
  ...{ model: MODELS.middle, windowTokens: MIDDLE_TOKENS },
  about:
    "90 turns that need three of sixteen files each, and read those again that don't stand in the context; nothing else is read. Window of 60,000 tokens, which all the files don't fill.",
  script: () => readingAgain(90, 16),
};

export const REREADING_ALL: Comparison = {
  ...{ name: "history-rereading-all", title: "A model that reads anything again", ...ROOMY },
  mostShare: 1.05,
  about:
    "60 turns that read a new file and a log each, and need three of all the files that were ever read, whether they stand in the context or not. Window of 200,000 tokens.",
  script: () => readingAnythingAgain(60),
};

export function measureComparison(bench: Comparison) {
  return async (progress: Progress, request: BenchRequest): Promise<Section> => {
    const { name, model, windowTokens } = bench;
    const sides = await playOnSides({
      label: name,
      scripts: [bench.script()],
      sides: listSides(request),
      ...{ model, windowTokens },
      progress,
    });
    if (request.details !== null) writeDetails(request.details, name, sides);
    return buildSection(bench, sides);
  };
}

function buildSection(bench: Comparison, sides: readonly PlayedSide[]): Section {
  const tallies = sides.map(({ side, played }) => ({ side, tally: tallySessions(played) }));
  const tallyFor = (name: string) => tallies.find(({ side }) => side === name)?.tally;
  const [stock, ours] = [tallyFor(STOCK_SIDE.name), tallyFor(OUR_SIDE.name)];
  if (!stock || !ours) throw new Error("Both hosts must have played");
  return {
    name: bench.name,
    title: bench.title,
    body: [bench.about, markdownTable(SIDE_COLUMNS, tallies.map(sideRow))].join("\n\n"),
    verdicts: judgeBench(bench, stock, ours),
  };
}

function judgeBench(bench: Comparison, stock: Tally, ours: Tally): readonly Verdict[] {
  const share = ours.bill / stock.bill;
  return [
    atMost(
      `a bill of at most ${percent(bench.mostShare)} of stock's`,
      share,
      bench.mostShare,
      `${percent(share)} (${tokens(ours.bill)} of ${tokens(stock.bill)})`,
    ),
    atMost("no compaction by the host", ours.compactions, 0, String(ours.compactions)),
    atMost("no call beyond the window", ours.tooLong, 0, String(ours.tooLong)),
    atMost("no turn without an answer", ours.failed, 0, String(ours.failed)),
  ];
}
