// `npm run bench -- standing`: whether what the user said once still stands when it matters.
// Folder: Instructions that are given once and matter later, for `npm run bench -- standing`.
import { tokens } from "../../demo/show.ts";
import { MIDDLE_TOKENS, MODELS, type ModelRef, ROOMY_TOKENS } from "../../host/models.ts";
import { gauge, type Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import type { BenchRequest } from "../arguments.ts";
import { LENGTH, TURNS } from "../history/questions.ts";
import { listSides, OUR_SIDE, type Side, STOCK_SIDE } from "../history/sides.ts";
import { installPeer } from "../peer.ts";
import { atLeast, atMost, type Section, type Verdict } from "../section.ts";
import { INSTRUCTIONS, type Instruction, WAYS } from "./instructions.ts";
import { EVENTS, playStanding, type StandingRun } from "./play.ts";
import { writeStanding } from "./script.ts";

export interface StandingWindow {
  readonly tokens: number;
  readonly model: ModelRef;
  readonly lengthFactor: number;
}

const WINDOWS: readonly StandingWindow[] = [
  { tokens: MIDDLE_TOKENS, model: MODELS.middle, lengthFactor: LENGTH },
  { tokens: ROOMY_TOKENS, model: MODELS.anthropic, lengthFactor: 3 * LENGTH },
];

const GIVEN_WITHIN = 40;
const SEED = 7;

/** All sides in one window. */
export interface PlayedWindow {
  readonly tokens: number;
  readonly sides: readonly StandingRun[];
}

export async function measureStanding(progress: Progress, request: BenchRequest): Promise<Section> {
  const { name, entry } = installPeer();
  const sides = listSides({ peers: [{ name, entry }, ...request.peers] });
  const played: PlayedWindow[] = [];
  for (const window of WINDOWS) {
    played.push({ tokens: window.tokens, sides: await playWindow(window, sides, progress) });
  }
  return buildSection(played);
}

/** Two hosts at a time. */
async function playWindow(
  { tokens: windowTokens, model, lengthFactor }: StandingWindow,
  sides: readonly Side[],
  progress: Progress,
): Promise<readonly StandingRun[]> {
  const instructions = INSTRUCTIONS;
  const script = writeStanding({
    ...{ seed: SEED, turns: TURNS, givenWithin: GIVEN_WITHIN, lengthFactor, instructions },
  });
  const played = new Map<string, StandingRun>();
  const left = [...sides];
  let turns = 0;
  const worker = async () => {
    for (let side = left.shift(); side; side = left.shift()) {
      const { name, plugin } = side;
      const onTurn = (done: number, of: number) => {
        turns += 1;
        if (done % STEP !== 0 && done !== of) return;
        const what = `standing ${tokens(windowTokens)}, ${name}: turn ${done} of ${of}`;
        progress.update(`${gauge(turns, TURNS * sides.length)} ${what}`, what);
      };
      const settings = { name, plugin, instructions, model, windowTokens, onTurn };
      played.set(name, await playStanding(script, settings));
    }
  };
  await Promise.all([worker(), worker()]);
  return sides.flatMap(({ name }) => played.get(name) ?? []);
}

/** A line stands for so many turns. */
const STEP = 10;

const COLUMNS: readonly Column[] = [
  { title: "host with", align: "left" },
  ...["window", "obeyed at its moment", "after a restart", "in a fork"].map(right),
  ...["after a compaction", "bill", "compactions before", "refused as too long"].map(right),
];

function right(title: string): Column {
  return { title, align: "right" };
}

const METHOD = `A session of ${TURNS} turns of ordinary work. The user says ${INSTRUCTIONS.length} things once in turns 1 to ${GIVEN_WITHIN} and means them for the rest of the session: short, in the middle of a long prompt, after a pasted log, as the answer to a question, as a command's argument, in German, in Chinese, and once to take an earlier one back. Each matters once in turns ${GIVEN_WITHIN + 1} to ${TURNS}. The scripted model obeys it there only if it stands, word for word, in each request of the turn; it looks nothing up, and calls no tool that a plugin offers. Then the host restarts, the session is forked, and the session is compacted by hand; after each of these, one call shows which of them stand.`;

const BY_WAY = "By the way in which it was said, at its moment:";

export function buildSection(played: readonly PlayedWindow[]): Section {
  return {
    name: "standing",
    title: "What the user said once",
    body: [METHOD, sidesTable(played), BY_WAY, waysTable(played)].join("\n\n"),
    verdicts: played.flatMap(judgeBench),
  };
}

function sidesTable(played: readonly PlayedWindow[]): string {
  const of = (some: readonly Instruction[]) => `${some.length} of ${INSTRUCTIONS.length}`;
  const rows = played.flatMap((window) =>
    window.sides.map(({ side, obeyed, after, bill, compactions, tooLong }) => [
      ...[side, tokens(window.tokens), of(obeyed), ...EVENTS.map((event) => of(after[event]))],
      ...[tokens(bill), String(compactions), String(tooLong)],
    ]),
  );
  return markdownTable(COLUMNS, rows);
}

function waysTable(played: readonly PlayedWindow[]): string {
  const sides = played.flatMap(({ tokens: window, sides }) =>
    sides.map((one) => ({ ...one, title: `${one.side}, ${tokens(window)}` })),
  );
  const columns: readonly Column[] = [
    { title: "said", align: "left" },
    ...sides.map(({ title }) => right(title)),
  ];
  const count = (some: readonly Instruction[], way: string) =>
    some.filter((one) => one.way === way).length;
  const rows = WAYS.map((way) => [
    way,
    ...sides.map(({ obeyed }) => `${count(obeyed, way)} of ${count(INSTRUCTIONS, way)}`),
  ]);
  return markdownTable(columns, rows);
}

function judgeBench({ tokens: window, sides }: PlayedWindow): readonly Verdict[] {
  const ours = sides.find(({ side }) => side === OUR_SIDE.name);
  if (!ours || !sides.some(({ side }) => side === STOCK_SIDE.name)) {
    throw new Error("Both hosts must have played");
  }
  const { obeyed, after, tooLong, failed } = ours;
  const all = INSTRUCTIONS.length;
  const every = (when: string, some: readonly Instruction[]) =>
    atLeast(
      `window of ${tokens(window)}, ${when}: all ${all}`,
      some.length,
      all,
      String(some.length),
    );
  const bad = tooLong + failed.length;
  return [
    every("at its moment", obeyed),
    every("after a restart", after.restart),
    every("in a fork", after.fork),
    every("after a compaction", after.compaction),
    atMost(
      `window of ${tokens(window)}: every turn is answered, none is too long`,
      bad,
      0,
      String(bad),
    ),
  ];
}
