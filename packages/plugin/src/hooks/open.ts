// Builds one instance: the working hooks, and what the front passes on to them.
import { offCommands } from "../features/declared-commands.ts";
import type { Feature, Room } from "../features/feature.ts";
import { openRooms } from "../features/open-rooms.ts";
import { statusSections } from "../features/status-sections.ts";
import { listedTwice } from "../status/notices.ts";
import type { DatabaseHandle } from "../storage/database-handle.ts";
import { composePlugin, type OpenCode } from "./compose.ts";
import { type Beginning, composeHouse } from "./compose-house.ts";
import type { OurHooks } from "./hook-names.ts";
import { createHooks } from "./hooks.ts";
import { asideFromJobs } from "./job-calls.ts";
import { openCodeHost } from "./opencode-host.ts";
import type { RunTool } from "./tools.ts";

/** What the front forwards to: the hooks that do the work, and what the front hands on to. */
export interface OpenPlugin {
  readonly hooks: OurHooks;
  /** The room of a feature. @throws where it could not be opened */
  readonly roomOf: (feature: string) => Room;
  readonly runTool: RunTool;
  /** `failed`: what features keep can't be read, and their tools would fail. */
  readonly storage: () => DatabaseHandle["state"];
  /** Another instance on the same directory stays idle. */
  readonly reportDoubled: () => void;
}

/** Builds one instance; the front loads this module, and with it everything that a session needs. */
export async function openPlugin(
  openCode: OpenCode,
  given: Omit<Beginning, "edge">,
  features: readonly Feature[],
): Promise<OpenPlugin> {
  const house = composeHouse({ ...given, edge: openCodeHost(openCode.input, openCode.hostConfig) });
  const composed = composePlugin(house, openCode, {
    rooms: await openRooms(features, house),
    features,
    sections: await statusSections(given.listed),
    offCommands: offCommands(given.listed, features),
  });
  return {
    hooks: asideFromJobs(createHooks(composed, features), composed),
    runTool: composed.runTool,
    storage: () => house.database.state,
    roomOf: (feature) => {
      const room = composed.rooms.find((one) => one.feature === feature);
      if (room) return room;
      throw new Error(`${feature} could not be opened; the log says why.`);
    },
    reportDoubled: () => composed.notices.notice(listedTwice),
  };
}
