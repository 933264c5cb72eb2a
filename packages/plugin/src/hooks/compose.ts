// Builds everything that the hooks of one plugin instance delegate to.
import type { PluginInput } from "@opencode-ai/plugin";
import type { Feature } from "../features/feature.ts";
import type { OpenRoom } from "../features/open-rooms.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { FileLog } from "../log/log.ts";
import type { Notices, Toast } from "../log/notices.ts";
import { ModelOptions } from "../options/model-options.ts";
import { ShellEnvironment } from "../options/shell-environment.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { DatabaseHandle } from "../storage/database-handle.ts";
import type { SessionTraces } from "../traces/session-traces.ts";
import { ModelCatalogue } from "./catalogue.ts";
import type { ComposedHouse } from "./compose-house.ts";
import { type ComposedJobs, composeJobs } from "./compose-jobs.ts";
import { composeRuntime } from "./compose-runtime.ts";
import type { HostConfig } from "./host-config.ts";
import { listedMessages } from "./listed-messages.ts";
import { tellRefused } from "./shell-env.ts";
import { toolTokens } from "./tool-tokens.ts";
import { guardedTools, type RunTool } from "./tools.ts";

/** All that the hooks of one plugin instance delegate to. */
export interface ComposedPlugin extends ComposedJobs {
  readonly client: PluginInput["client"];
  readonly runtime: SessionRuntime;
  readonly database: DatabaseHandle;
  readonly catalogue: ModelCatalogue;
  readonly hostConfig: HostConfig;
  readonly modelOptions: ModelOptions;
  readonly shellEnvironment: ShellEnvironment;
  readonly traces: SessionTraces;
  readonly log: FileLog;
  readonly notices: Notices;
  readonly failures: FailureReporter;
  readonly runTool: RunTool;
  readonly rooms: readonly OpenRoom[];
  readonly began: ComposedHouse["began"];
  /** Answers what the user asked for, whatever the settings for notices say. */
  readonly toast: Toast;
  /** Whether the user wants notices as toasts. */
  readonly toasts: "shown" | "silent";
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Builds the runtime of one project directory. */
export function composePlugin(
  house: ComposedHouse,
  rooms: readonly OpenRoom[],
  features: readonly Feature[],
): ComposedPlugin {
  const { input, config, database, hostConfig, log, notices, toast, failures, traces, now } = house;
  const { env, home } = house;
  const { client, directory } = input;
  const catalogue = new ModelCatalogue(client);
  const parts = {
    ...{ input, home, env, database, catalogue, hostConfig },
    ...{ channels: house, failures, now, traces, rooms },
    toolTokens: toolTokens(features),
  };
  const runtime = composeRuntime(config, parts);
  house.nextCalls.lookWith(async (sessionId) => {
    await database.ensure();
    return runtime.nextCall(sessionId, await listedMessages(client, sessionId));
  });
  const shellEnvironment = new ShellEnvironment(config.environment, directory);
  tellRefused(shellEnvironment, notices);
  return {
    ...{ client, runtime, database, catalogue, hostConfig, shellEnvironment },
    ...{ traces, log, notices, toast, failures, now },
    rooms,
    runTool: guardedTools(
      rooms.flatMap(({ tools }) => tools ?? []),
      failures,
    ),
    toasts: config.notices.toast ? "shown" : "silent",
    modelOptions: new ModelOptions(config),
    ...composeJobs(house, { runtime, rooms }),
    began: house.began,
  };
}
