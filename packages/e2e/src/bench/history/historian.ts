// The historian's part of a long session: its bill, and what is answered right with its words instead of extracts.
import { percent, tokens } from "../../demo/show.ts";
import { MODELS } from "../../host/models.ts";
import type { Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import type { BenchRequest } from "../arguments.ts";
import { atMost, moreThan, type Section } from "../section.ts";
import { writeDetails } from "./details.ts";
import { AGES, writeSession } from "./generate.ts";
import { AT_60K, QUESTION_COLUMNS, questionRow, TURNS } from "./questions.ts";
import { OUR_SIDE, type PlayedSide, playOnSides, sideWith } from "./sides.ts";
import { countRight, tallySessions } from "./tally.ts";

const JOB_MODEL = `${MODELS.second.providerID}/${MODELS.second.modelID}`;

const WRITTEN = {
  ...sideWith("this plugin, historian", {
    historian: { enabled: true },
    jobs: { model: JOB_MODEL, tokensPerSession: 4_000_000, tokensPerDay: 4_000_000 },
  }),
  historian: "scripted",
  pauseMs: 1_000,
} as const;

const MAX_SHARE = 0.12;
const MAX_COST_FACTOR = 1.05;

const COLUMNS: readonly Column[] = [
  ...QUESTION_COLUMNS,
  { title: "calls of the historian", align: "right" },
  { title: "their share of the bill", align: "right" },
];

export async function measureHistorian(
  progress: Progress,
  request: BenchRequest,
): Promise<Section> {
  const { model, windowTokens, seeds, lengthFactor } = AT_60K;
  const scripts = seeds.map((seed) =>
    writeSession({ seed, turns: TURNS, ages: AGES, lengthFactor }),
  );
  const sides = await playOnSides({
    ...{ label: "history-historian", scripts, sides: [OUR_SIDE, WRITTEN], progress },
    ...{ model, windowTokens },
  });
  if (request.details !== null) writeDetails(request.details, "history-historian", sides);
  const rows = sides.map((side) => ({ ...summarizeSide(side), side: side.side }));
  const [extracts, written] = rows;
  if (!extracts || !written) throw new Error("Both must have played");
  const factor = written.perAnswer / extracts.perAnswer;
  return {
    name: "history-historian",
    title: "A long session with a historian",
    body: [
      markdownTable(
        COLUMNS,
        rows.map((row) => [...questionRow(row), String(row.jobs), percent(row.share)]),
      ),
      METHOD,
    ].join("\n\n"),
    verdicts: [
      atMost(
        `the historian costs at most ${percent(MAX_SHARE)} of the bill`,
        written.share,
        MAX_SHARE,
        percent(written.share),
      ),
      moreThan(
        "more is answered from the context than with extracts",
        written.tally.fromContext,
        extracts.tally.fromContext,
        `${written.tally.fromContext}, ${extracts.tally.fromContext} with extracts`,
      ),
      atMost(
        "a right answer costs at most 5 % more than with extracts",
        factor,
        MAX_COST_FACTOR,
        `${tokens(written.perAnswer)}, ${tokens(extracts.perAnswer)} with extracts`,
      ),
    ],
  };
}

function summarizeSide({ played }: PlayedSide) {
  const tally = tallySessions(played);
  const jobs = played.flatMap(({ calls }) => calls.filter(({ kind }) => kind === "job"));
  const bill = jobs.reduce((sum, call) => sum + call.bill, 0);
  const perAnswer = tally.bill / countRight(tally);
  return { tally, jobs: jobs.length, share: bill / tally.bill, perAnswer };
}

const METHOD = [
  "The sessions of `history 60k`. With extracts, as there; and with a historian, whose model is scripted, too: it writes a segment for each turn, and notes in its three longer texts every fact that it is shown and a question may be about. That is the best that a model could do; what it isn't shown, as results are cut to their ends, it doesn't note.",
  "Its calls are billed like all others, at the prices of the session's own model; a small model costs less. Between two turns there is a second, in which it may write.",
].join(" ");
