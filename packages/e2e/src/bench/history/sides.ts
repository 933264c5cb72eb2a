// The hosts that play a script side by side: stock, with the plugin, with others' plugins.
import { PLUGIN } from "../../demo/play.ts";
import type { PluginEntry } from "../../host/host.ts";
import type { JsonObject } from "../../json.ts";
import { gauge, type Progress } from "../../terminal/progress.ts";
import type { BenchRequest } from "../arguments.ts";
import { type PlayedSession, playSession, type SessionSettings } from "./play-session.ts";
import type { SessionScript } from "./session-script.ts";

export interface Side {
  readonly name: string;
  readonly plugin: readonly PluginEntry[];
}

export const STOCK_SIDE: Side = { name: "stock", plugin: [] };

/** As far as history goes; the rest is as it comes. */
export const HISTORY_ON: JsonObject = {
  history: { rewrite: "worth" },
  recall: { enabled: true },
};

export const OUR_SIDE: Side = { name: "this plugin", plugin: [[PLUGIN, HISTORY_ON]] };

export function sidesOf({ peers }: Pick<BenchRequest, "peers">): readonly Side[] {
  return [STOCK_SIDE, ...peers.map(({ name, entry }) => ({ name, plugin: [entry] })), OUR_SIDE];
}

export interface PlayedSide {
  readonly side: string;
  readonly played: readonly PlayedSession[];
}

export interface Play {
  readonly label: string;
  readonly scripts: readonly SessionScript[];
  readonly sides: readonly Side[];
  readonly settings: Omit<SessionSettings, "plugin" | "onTurn">;
  readonly progress: Progress;
}

/** Each script on all sides at once, two at a time. */
export async function playOnSides(play: Play): Promise<readonly PlayedSide[]> {
  const { label, scripts, sides, settings, progress } = play;
  const played = new Map<string, PlayedSession[]>(sides.map(({ name }) => [name, []]));
  const jobs = scripts.flatMap((script) => sides.map((side) => ({ script, side })));
  const total = jobs.reduce((sum, { script }) => sum + script.turns.length, 0);
  let turns = 0;
  const worker = async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const { script, side } = job;
      const session = await playSession(script, {
        ...settings,
        plugin: side.plugin,
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
