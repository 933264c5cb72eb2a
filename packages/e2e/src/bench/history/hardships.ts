// The session at 60,000 tokens under hardship: tools unused or denied, restarts, kills, refused calls.
import { tokens } from "../../demo/show.ts";
import { MIDDLE_TOKENS, MODELS } from "../../host/models.ts";
import type { Progress } from "../../terminal/progress.ts";
import { markdownTable } from "../../terminal/table.ts";
import type { BenchRequest } from "../arguments.ts";
import { atLeast, atMost, type Section } from "../section.ts";
import { writeDetails } from "./details.ts";
import { AGES, writeSession } from "./generate.ts";
import type { Fault } from "./play-session.ts";
import { AT_60K, LENGTH, QUESTION_COLUMNS, questionRow, TURNS } from "./questions.ts";
import type { SessionScript } from "./session-script.ts";
import { OUR_SIDE, playOnSides, type Side, STOCK_SIDE } from "./sides.ts";
import { countRight, tallySessions } from "./tally.ts";

const SEED = 1;

const UNUSED: Side = { ...OUR_SIDE, name: "this plugin, tools never called", lookUps: "none" };
const DENIED: Side = {
  ...OUR_SIDE,
  name: "this plugin, tools denied",
  config: { agent: { build: { permission: { "ctx_*": "deny" } } } },
};

const FAULTS: readonly (readonly [Fault, readonly number[]])[] = [
  ["restart", [7, 26, 44]],
  ["kill", [14, 33, 51]],
  ["limit", [10, 22, 40]],
];

export async function measureHardships(
  progress: Progress,
  request: BenchRequest,
): Promise<Section> {
  const script = writeSession({ seed: SEED, turns: TURNS, ages: AGES, lengthFactor: LENGTH });
  const faults = placeFaults(script);
  const broken: Side = { ...OUR_SIDE, name: "this plugin, kills and restarts", faults };
  const sides = await playOnSides({
    label: "history-hardships",
    scripts: [script],
    sides: [STOCK_SIDE, OUR_SIDE, UNUSED, DENIED, broken],
    ...{ model: MODELS.middle, windowTokens: MIDDLE_TOKENS },
    progress,
  });
  if (request.details !== null) writeDetails(request.details, "history-hardships", sides);
  const rows = sides.map(({ side, played }) => ({ side, tally: tallySessions(played) }));
  const [stock, usual, unused, denied, faulty] = rows.map(({ tally }) => tally);
  if (!stock || !usual || !unused || !denied || !faulty) throw new Error("All must have played");
  return {
    name: "history-hardships",
    title: "Tools unused or denied, kills and restarts",
    body: [ABOUT, markdownTable(QUESTION_COLUMNS, rows.map(questionRow))].join("\n\n"),
    verdicts: [
      ...[unused, denied].map((tally, index) =>
        atMost(
          `${index === 0 ? "tools never called" : "tools denied"}: a bill no larger than stock's`,
          tally.bill,
          stock.bill,
          `${tokens(tally.bill)} of ${tokens(stock.bill)}`,
        ),
      ),
      atLeast(
        "tools denied: at least as many right answers as stock",
        countRight(denied),
        countRight(stock),
        `${countRight(denied)} against ${countRight(stock)}`,
      ),
      atLeast(
        `kills and restarts: all ${faulty.questions} answered right`,
        countRight(faulty),
        faulty.questions,
        String(countRight(faulty)),
      ),
      atMost(
        `kills and restarts: a right answer costs at most ${tokens(AT_60K.mostPerAnswer)}`,
        faulty.bill / countRight(faulty),
        AT_60K.mostPerAnswer,
        tokens(faulty.bill / countRight(faulty)),
      ),
      ...rows.slice(1).map(({ side, tally }) => {
        const lost = tally.compactions + tally.tooLong + tally.failed;
        const what = "no compaction, no call beyond the window, no turn without an answer";
        return atMost(`${side}: ${what}`, lost, 0, String(lost));
      }),
    ],
  };
}

const ABOUT = [
  "The first of the sessions in a window of 60,000 tokens: with a model that never calls the plugin's tools; with an agent whose permissions deny them;",
  "and with three restarts, three kills (SIGKILL at a turn's second call; a prompt goes on with it) and three turns whose first calls the provider refuses with 429.",
].join(" ");

/** Each at the first turn of work from its number on that has no other. */
function placeFaults({ turns }: SessionScript): ReadonlyMap<number, Fault> {
  const placed = new Map<number, Fault>();
  for (const [fault, numbers] of FAULTS) {
    for (const number of numbers) {
      const at = turns.findIndex(
        ({ type }, turn) => turn >= number && type === "work" && !placed.has(turn),
      );
      placed.set(at, fault);
    }
  }
  return placed;
}
