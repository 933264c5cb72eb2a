// Sessions with questions on Pi, stock and with the extension: who still knows, and at what price.
import { MIDDLE_TOKENS } from "../../host/models.ts";
import { PI_MODELS } from "../../pi/pi.ts";
import { buildExtension } from "../../pi/scenario.ts";
import { gauge, type Progress } from "../../terminal/progress.ts";
import { markdownTable } from "../../terminal/table.ts";
import { AGES, writeSession } from "../history/generate.ts";
import type { PlayedSession } from "../history/play-session.ts";
import { LENGTH, QUESTION_COLUMNS, questionRow, TURNS } from "../history/questions.ts";
import { countRight, tallySessions } from "../history/tally.ts";
import { atLeast, atMost, type Section } from "../section.ts";
import { playOnPi } from "./play.ts";

const SEEDS = [1, 2, 3] as const;

const METHOD = [
  `The ${SEEDS.length} sessions of ${TURNS} turns and ${AGES.length} questions each of the section on a window of 60,000 tokens, on Pi: its own read, edit, write and bash do what the script asks for, a search is a command, and an issue comes from an extension's tool. The model takes no system messages in mid-conversation.`,
  "Costs are as there. Pi compacts by itself where less than 16,384 tokens of the window are free.",
].join(" ");

export async function measureLongOnPi(progress: Progress): Promise<Section> {
  const extension = buildExtension();
  const scripts = SEEDS.map((seed) =>
    writeSession({ seed, turns: TURNS, ages: AGES, lengthFactor: LENGTH }),
  );
  const sides = [
    { side: "stock Pi", extensions: [] },
    { side: "the extension", extensions: [extension] },
  ];
  const tallies = [];
  let turns = 0;
  for (const { side, extensions } of sides) {
    const played: PlayedSession[] = [];
    for (const script of scripts) {
      const onTurn = (done: number, of: number) => {
        turns += 1;
        const what = `pi-long, ${script.name}, ${side}: turn ${done} of ${of}`;
        progress.update(`${gauge(turns, sides.length * SEEDS.length * TURNS)} ${what}`, what);
      };
      const settings = { extensions, model: PI_MODELS.small, windowTokens: MIDDLE_TOKENS, onTurn };
      played.push(await playOnPi(script, settings));
    }
    tallies.push({ side, tally: tallySessions(played) });
  }
  const ours = tallies.at(-1)?.tally ?? tallySessions([]);
  const right = countRight(ours);
  return {
    name: "pi-long",
    title: "Pi: a long session in a window of 60,000 tokens",
    body: [markdownTable(QUESTION_COLUMNS, tallies.map(questionRow)), METHOD].join("\n\n"),
    verdicts: [
      atLeast("all 42 answered right", right, 42, String(right)),
      atMost("no compaction by the host", ours.compactions, 0, String(ours.compactions)),
      atMost("no call beyond the window", ours.tooLong, 0, String(ours.tooLong)),
      atMost("no turn without an answer", ours.failed, 0, String(ours.failed)),
    ],
  };
}
