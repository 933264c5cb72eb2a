// Sessions with questions about what was said and seen: who still knows, and at what price.
import { join } from "node:path";
import { writeBetweenMarks } from "../../../../../scripts/host-table.mjs";
import { tokens } from "../../demo/show.ts";
import { MIDDLE_TOKENS, MODELS, type ModelRef, ROOMY_TOKENS } from "../../host/models.ts";
import type { Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import type { BenchRequest } from "../arguments.ts";
import { atLeast, atMost, type Section, type Verdict } from "../section.ts";
import type { SectionName } from "../targets.ts";
import { writeDetails } from "./details.ts";
import { AGES, writeSession } from "./generate.ts";
import { writePicture } from "./picture.ts";
import { SIDE_COLUMNS, sideRow } from "./side-table.ts";
import { listSides, OUR_SIDE, type PlayedSide, playOnSides, STOCK_SIDE } from "./sides.ts";
import { countRight, type Tally, tallySessions } from "./tally.ts";

interface QuestionBench {
  readonly name: SectionName;
  readonly title: string;
  readonly model: ModelRef;
  readonly windowTokens: number;
  readonly seeds: readonly number[];
  readonly lengthFactor: number;
  /** What a right answer may cost. */
  readonly mostPerAnswer: number;
  /** Whether docs/pictures/history.svg shows its first session. */
  readonly picture: "drawn" | "none";
}

export const TURNS = 60;
/** Against the lengths in workshop.ts: what brings the stock host's bill near that of real work. */
export const LENGTH = 1.15;

export const AT_60K: QuestionBench = {
  name: "history-60k",
  title: "A long session in a window of 60,000 tokens",
  model: MODELS.middle,
  windowTokens: MIDDLE_TOKENS,
  seeds: [1, 2, 3],
  lengthFactor: LENGTH,
  mostPerAnswer: 45_000,
  picture: "drawn",
};

export const AT_200K: QuestionBench = {
  name: "history-200k",
  title: "A long session in a window of 200,000 tokens",
  model: MODELS.anthropic,
  windowTokens: ROOMY_TOKENS,
  seeds: [1, 2],
  lengthFactor: 3 * LENGTH,
  mostPerAnswer: 90_000,
  picture: "none",
};

export function measureQuestions(bench: QuestionBench) {
  return async (progress: Progress, request: BenchRequest): Promise<Section> => {
    const scripts = bench.seeds.map((seed) =>
      writeSession({ seed, turns: TURNS, ages: AGES, lengthFactor: bench.lengthFactor }),
    );
    const sides = await playOnSides({
      label: bench.name,
      scripts,
      sides: listSides(request),
      ...{ model: bench.model, windowTokens: bench.windowTokens },
      progress,
    });
    if (request.details !== null) writeDetails(request.details, bench.name, sides);
    if (bench.picture === "drawn") {
      writePicture(sides, bench.windowTokens);
      if (request.peers.length === 0) writeBetweenMarks(PAGE, "long", longSentence(bench, sides));
    }
    return buildSection(bench, sides);
  };
}

const PAGE = join(import.meta.dir, "../../../../../docs/history.md");

/** Of docs/history.md. */
function longSentence(
  { seeds, windowTokens }: QuestionBench,
  sides: readonly PlayedSide[],
): string {
  const [alone, ours] = [STOCK_SIDE, OUR_SIDE].map(({ name }) => {
    const tally = tallySessions(sides.find(({ side }) => side === name)?.played ?? []);
    return `${countRight(tally)} of ${tally.questions} questions about old facts, for a bill of ${tokens(tally.bill)} tokens of input`;
  });
  return `In ${seeds.length} scripted sessions of ${TURNS} turns in a window of ${tokens(windowTokens)} tokens, OpenCode alone answers ${alone}. With the plugin it answers ${ours}.`;
}

export const QUESTION_COLUMNS: readonly Column[] = [
  { title: "host with", align: "left" },
  { title: "right", align: "right" },
  { title: "from context", align: "right" },
  { title: "by one look-up", align: "right" },
  { title: "bill", align: "right" },
  { title: "per right answer", align: "right" },
  ...SIDE_COLUMNS.slice(2),
];

function buildSection(bench: QuestionBench, sides: readonly PlayedSide[]): Section {
  const tallies = sides.map(({ side, played }) => ({ side, tally: tallySessions(played) }));
  return {
    name: bench.name,
    title: bench.title,
    body: [markdownTable(QUESTION_COLUMNS, tallies.map(questionRow)), method(bench)].join("\n\n"),
    verdicts: tallies
      .filter(({ side }) => side === OUR_SIDE.name)
      .flatMap(({ tally }) => verdicts(bench, tally)),
  };
}

export function questionRow({ side, tally }: { readonly side: string; readonly tally: Tally }) {
  const right = countRight(tally);
  return [
    side,
    `${right} of ${tally.questions}`,
    String(tally.fromContext),
    String(tally.byLookUp),
    tokens(tally.bill),
    tokens(tally.bill / right),
    ...sideRow({ side, tally }).slice(2),
  ];
}

function verdicts(bench: QuestionBench, tally: Tally): readonly Verdict[] {
  const right = countRight(tally);
  const perAnswer = tally.bill / right;
  return [
    atLeast(`all ${tally.questions} answered right`, right, tally.questions, String(right)),
    atLeast(
      `all ${tally.spoken.questions} about words of the user or of a closing answer from context`,
      tally.spoken.fromContext,
      tally.spoken.questions,
      String(tally.spoken.fromContext),
    ),
    atMost(
      `a right answer costs at most ${tokens(bench.mostPerAnswer)}`,
      perAnswer,
      bench.mostPerAnswer,
      tokens(perAnswer),
    ),
    atMost("no compaction by the host", tally.compactions, 0, String(tally.compactions)),
    atMost("no call beyond the window", tally.tooLong, 0, String(tally.tooLong)),
    atMost("no turn without an answer", tally.failed, 0, String(tally.failed)),
  ];
}

function method({ seeds, lengthFactor }: QuestionBench): string {
  const times = lengthFactor === LENGTH ? "" : ", with outputs three times as long";
  return [
    `${seeds.length} sessions of ${TURNS} turns, made by chance from a seed${times}: files read, edited and written, commands, failing builds, searches and issues from an MCP server, and ${AGES.length} questions each, about facts that stood once, ${AGES[0]} to ${AGES.at(-1)} turns ago: in a command's output, a table, a file, an error, a search's hits, an issue, the user's words, the model's own decisions.`,
    "The scripted model answers right if the fact stands in the request that it gets; else it calls `ctx_search` once, where it is offered, with words of the question, and is right if the fact stands in the result.",
    "Costs are in uncached input tokens (a token is four bytes; read 0.1, written 1.25); all calls count: the session's own, titles and compactions. Rewrites have the reasons that the plugin recorded; without a record they are the calls that no longer began with what the call before them had sent. Regret is the most that any rewrite found: what asking again for dropped results had cost in the calls before it. Each request is validated as the provider's API does, and refused beyond the window.",
  ].join(" ");
}
