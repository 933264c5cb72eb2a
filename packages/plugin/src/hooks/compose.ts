// Builds everything that the hooks of one plugin instance delegate to.
import type { PluginInput } from "@opencode-ai/plugin";
import type { Feature } from "../features/feature.ts";
import type { OpenRoom } from "../features/open-rooms.ts";
import { ModelOptions } from "../options/model-options.ts";
import { ShellEnvironment } from "../options/shell-environment.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { ReadSection } from "../status/section.ts";
import { ModelCatalogue } from "./catalogue.ts";
import { reportRefused } from "./compose-channels.ts";
import type { ComposedHouse } from "./compose-house.ts";
import { type ComposedJobs, composeJobs } from "./compose-jobs.ts";
import { composeRuntime } from "./compose-runtime.ts";
import type { HostConfig } from "./host-config.ts";
import { listedMessages } from "./listed-messages.ts";
import { toolTokens } from "./tool-tokens.ts";
import { guardedTools, type RunTool } from "./tools.ts";

/** OpenCode as it gives itself to a plugin. */
export interface OpenCode {
  readonly input: PluginInput;
  readonly hostConfig: HostConfig;
}

/** All that the hooks of one plugin instance delegate to. */
export interface ComposedPlugin extends Omit<ComposedHouse, "runtime">, ComposedJobs, OpenCode {
  readonly runtime: SessionRuntime;
  readonly catalogue: ModelCatalogue;
  readonly modelOptions: ModelOptions;
  readonly shellEnvironment: ShellEnvironment;
  readonly runTool: RunTool;
  readonly rooms: readonly OpenRoom[];
  /** What features say in a session's status, those that are off too. */
  readonly sections: readonly ReadSection[];
  /** What turns on each command that is off. */
  readonly offCommands: ReadonlyMap<string, string>;
}

interface FeatureParts extends Pick<ComposedPlugin, "rooms" | "sections" | "offCommands"> {
  /** Those that are on. */
  readonly features: readonly Feature[];
}

/** Builds the runtime of one project directory. */
export function composePlugin(
  house: ComposedHouse,
  openCode: OpenCode,
  { rooms, features, sections, offCommands }: FeatureParts,
): ComposedPlugin {
  const { config, database, notices, failures } = house;
  const { client, directory } = openCode.input;
  const catalogue = new ModelCatalogue(house.edge.models);
  const runtime = composeRuntime(house, {
    catalogue,
    rooms,
    toolTokens: toolTokens(features),
    system: "ours",
  });
  house.nextCalls.lookWith(async (sessionId) => {
    await database.ensure();
    return runtime.nextCall(sessionId, await listedMessages(client, sessionId));
  });
  const shellEnvironment = new ShellEnvironment(config.environment, directory);
  reportRefused(shellEnvironment, notices);
  const tools = rooms.flatMap((room) => room.tools ?? []);
  return {
    ...house,
    ...openCode,
    runtime,
    catalogue,
    shellEnvironment,
    rooms,
    sections,
    offCommands,
    runTool: guardedTools(tools, failures),
    modelOptions: new ModelOptions(config),
    ...composeJobs(house, { runtime, rooms, client, hostConfig: openCode.hostConfig }),
  };
}
