// Plays the demo's long session on both hosts at once.
// Folder: The demo's long session.
import { AGES, writeSession } from "../../bench/history/generate.ts";
import { type PlayedSession, playSession } from "../../bench/history/play-session.ts";
import { tallySessions } from "../../bench/history/tally.ts";
import type { PluginEntry } from "../../host/host.ts";
import { MIDDLE_TOKENS, MODELS } from "../../host/models.ts";
import type { Progress } from "../../terminal/progress.ts";
import { PLUGIN, progressLine, type SideName } from "../play.ts";
import { askStatus } from "../status.ts";
import type { LongReport, LongSide } from "./report.ts";

export interface LongPlan {
  readonly turns: number;
  /** Of the questions, in turns. */
  readonly ages: readonly number[];
  /** Turns that one row shows. */
  readonly perRow: number;
}

/** About a minute. */
export const LONG_PLAN: LongPlan = {
  turns: 40,
  ages: AGES.filter((age) => age <= 33),
  perRow: 5,
};

const SEED = 1;
/** Against the lengths of the benchmark's scripts: outputs as long as there. */
const LENGTH_FACTOR = 1.15;
/** The mock answers at once; a user reads, and meanwhile the historian writes. */
const READING_MS = 300;

export async function playLong(plan: LongPlan, progress: Progress): Promise<LongReport> {
  const { turns, ages } = plan;
  const script = writeSession({ seed: SEED, turns, ages, lengthFactor: LENGTH_FACTOR });
  const line = progressLine(turns, progress);
  let status: string | null = null;
  const play = (side: SideName, plugin: readonly PluginEntry[]) =>
    playSession(script, {
      ...{ plugin, lookUps: "look-up", historian: "scripted", pauseMs: READING_MS },
      ...{ model: MODELS.middle, windowTokens: MIDDLE_TOKENS, faults: new Map() },
      // The model that OpenCode asks for titles writes the summaries, as in a set-up of a user's.
      config: { small_model: `${MODELS.second.providerID}/${MODELS.second.modelID}` },
      onTurn: (done) => line.step(side, `Turn ${done} of ${turns}`),
      async onEnd({ client }, session) {
        if (side === "with") status = await askStatus(client, session);
      },
    });
  const [without, with_] = await Promise.all([play("without", []), play("with", [PLUGIN])]);
  progress.end();
  const labels = splitRows(plan).map(({ first, last }) => `Turns ${first} to ${last}`);
  return {
    ...{ turns, windowTokens: MIDDLE_TOKENS, questions: ages.length, labels, status },
    ages: { least: Math.min(...ages), most: Math.max(...ages) },
    without: toSide(without, plan),
    with: toSide(with_, plan),
  };
}

/** From 1. */
function splitRows({ turns, perRow }: LongPlan) {
  return Array.from({ length: Math.ceil(turns / perRow) }, (_, row) => ({
    first: row * perRow + 1,
    last: Math.min((row + 1) * perRow, turns),
  }));
}

function toSide(played: PlayedSession, plan: LongPlan): LongSide {
  const { bill, fromContext, byLookUp, peakTokens, compactions } = tallySessions([played]);
  const bills = splitRows(plan).map(({ first, last }) =>
    played.calls
      .filter(({ turn }) => turn + 1 >= first && turn + 1 <= last)
      .reduce((sum, call) => sum + call.bill, 0),
  );
  return { bills, bill, fromContext, byLookUp, peakTokens, compactions };
}
