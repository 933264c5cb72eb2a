// The hosts that play a script side by side: stock, with the plugin, with others' plugins.
import { PLUGIN } from "../../demo/play.ts";
import type { ModelRef } from "../../host/models.ts";
import type { JsonObject } from "../../json.ts";
import { gauge, type Progress } from "../../terminal/progress.ts";
import type { BenchRequest } from "../arguments.ts";
import {
  type Fault,
  type PlayedSession,
  playSession,
  type SessionSettings,
} from "./play-session.ts";
import type { SessionScript } from "./session-script.ts";

/** A host, and the model that works with it. */
export interface Side
  extends Pick<
    SessionSettings,
    "plugin" | "lookUps" | "faults" | "config" | "historian" | "pauseMs"
  > {
  readonly name: string;
}

const USUAL = {
  lookUps: "look-up",
  faults: new Map<number, Fault>(),
  config: {},
  historian: "none",
  pauseMs: 0,
} as const;

export const STOCK_SIDE: Side = { ...USUAL, name: "stock", plugin: [] };

/** As far as history goes, without a model's summaries; the rest is as it comes. */
export const HISTORY_ON: JsonObject = {
  history: { rewrite: "worth" },
  recall: { enabled: true },
  historian: { enabled: false },
};

export const OUR_SIDE: Side = { ...USUAL, name: "this plugin", plugin: [[PLUGIN, HISTORY_ON]] };

/** Our plugin with more settings. */
export function sideWith(name: string, settings: JsonObject): Side {
  return { ...USUAL, name, plugin: [[PLUGIN, { ...HISTORY_ON, ...settings }]] };
}

export function listSides({ peers }: Pick<BenchRequest, "peers">): readonly Side[] {
  const others = peers.map(({ name, entry }): Side => ({ ...USUAL, name, plugin: [entry] }));
  return [STOCK_SIDE, ...others, OUR_SIDE];
}

export interface PlayedSide {
  readonly side: string;
  readonly played: readonly PlayedSession[];
}

export interface Play {
  readonly label: string;
  readonly scripts: readonly SessionScript[];
  readonly sides: readonly Side[];
  readonly model: ModelRef;
  readonly windowTokens: number;
  readonly progress: Progress;
}

/** Each script on all sides at once, two at a time. */
export async function playOnSides(play: Play): Promise<readonly PlayedSide[]> {
  const { label, scripts, sides, model, windowTokens, progress } = play;
  const played = new Map<string, PlayedSession[]>(sides.map(({ name }) => [name, []]));
  const jobs = scripts.flatMap((script) => sides.map((side) => ({ script, side })));
  const total = jobs.reduce((sum, { script }) => sum + script.turns.length, 0);
  let turns = 0;
  const worker = async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const { script, side } = job;
      const session = await playSession(script, {
        ...{ model, windowTokens },
        ...side,
        onEnd: () => Promise.resolve(),
        onTurn: (done, of) => {
          turns += 1;
          if (done % STEP !== 0 && done !== of) return;
          const what = `${label}, ${script.name}, ${side.name}: turn ${done} of ${of}`;
          progress.update(`${gauge(turns, total)} ${what}`, what);
        },
      });
      played.get(side.name)?.push(session);
    }
  };
  await Promise.all([worker(), worker()]);
  return sides.map(({ name }) => ({ side: name, played: played.get(name) ?? [] }));
}

/** A line stands for so many turns. */
const STEP = 10;
