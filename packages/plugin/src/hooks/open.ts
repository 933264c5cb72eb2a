// Builds one instance on OpenCode: the working hooks, and what the front passes on to them.
import type { Room } from "../features/feature.ts";
import type { Beginning } from "../instance/beginning.ts";
import { openInstance } from "../instance/instance.ts";
import type { RunTool } from "../instance/run-tool.ts";
import { listedTwice } from "../status/notices.ts";
import type { DatabaseHandle } from "../storage/database-handle.ts";
import { composePlugin, openCodeParts } from "./compose.ts";
import type { OurHooks } from "./hook-names.ts";
import { createHooks } from "./hooks.ts";
import { asideFromJobs } from "./job-calls.ts";
import type { OpenCode } from "./opencode-host.ts";

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
export async function openPlugin(openCode: OpenCode, beginning: Beginning): Promise<OpenPlugin> {
  const parts = openCodeParts(openCode, beginning.configured);
  const plugin = composePlugin(await openInstance(parts.host, beginning), parts);
  return {
    hooks: asideFromJobs(createHooks(plugin, beginning.features), plugin),
    runTool: plugin.runTool,
    storage: () => plugin.database.state,
    roomOf: (feature) => {
      const room = plugin.rooms.find((one) => one.feature === feature);
      if (room) return room;
      throw new Error(`${feature} could not be opened; the log says why.`);
    },
    reportDoubled: () => plugin.notices.notice(listedTwice),
  };
}
