// Builds everything that the hooks of one plugin instance delegate to.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { PluginInput } from "@opencode-ai/plugin";
import { chosenStoragePath, logPath } from "../config/places.ts";
import type { ResolvedConfig } from "../config/resolve.ts";
import { leadsOutside } from "../config/warning.ts";
import type { Feature } from "../features/feature.ts";
import type { FileLog } from "../log/log.ts";
import type { Notices, Toast } from "../log/notices.ts";
import type { NativeLowering } from "../lowering/native-lowering.ts";
import { ModelOptions } from "../options/model-options.ts";
import { ShellEnvironment } from "../options/shell-environment.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import { type LocationSources, locationSources } from "../sources/custom/location-sources.ts";
import { DatabaseHandle } from "../storage/database-handle.ts";
import { isWritable } from "../storage/files.ts";
import { databasePath, processSurroundings } from "../storage/location.ts";
import { openRuntimeDatabase } from "../storage/open.ts";
import type { SessionTraces } from "../traces/session-traces.ts";
import { ModelCatalogue } from "./catalogue.ts";
import { ContinuityHook } from "./compacting.ts";
import { composeChannels, tellConfigWarnings, tellMovedAside } from "./compose-channels.ts";
import { type ComposedInbox, composeInbox, showToast } from "./compose-inbox.ts";
import { composeRuntime } from "./compose-runtime.ts";
import { composeTraces } from "./compose-traces.ts";
import { type FailureReporter, failureReporter } from "./guard.ts";
import type { HostConfig } from "./host-config.ts";
import { composeLowering } from "./lowering.ts";
import { tellRefused } from "./shell-env.ts";
import { ToolOutputHook } from "./tool-output.ts";

/** All that the hooks of one plugin instance delegate to. */
export interface ComposedPlugin extends ComposedInbox {
  readonly client: PluginInput["client"];
  readonly runtime: SessionRuntime;
  readonly database: DatabaseHandle;
  readonly catalogue: ModelCatalogue;
  readonly hostConfig: HostConfig;
  readonly toolOutput: ToolOutputHook;
  readonly continuity: ContinuityHook;
  /** The user's own sources, and those of other plugins. */
  readonly added: LocationSources;
  readonly modelOptions: ModelOptions;
  readonly shellEnvironment: ShellEnvironment;
  readonly traces: SessionTraces;
  readonly lowering: NativeLowering;
  readonly log: FileLog;
  readonly notices: Notices;
  readonly failures: FailureReporter;
  /** Answers what the user asked for, whatever the settings for notices say. */
  readonly toast: Toast;
  /** Whether the user wants notices as toasts. */
  readonly toasts: "shown" | "silent";
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What an instance begins with: the host's input, and what was found out before anything was loaded. */
export interface Beginning {
  readonly input: PluginInput;
  readonly configured: ResolvedConfig;
  readonly hostConfig: HostConfig;
  readonly features: readonly Feature[];
}

/** Builds the runtime of one project directory. */
export function composePlugin({
  input,
  configured,
  hostConfig,
  features,
}: Beginning): ComposedPlugin {
  const { client, directory, worktree } = input;
  const { config, warnings, projectSources } = configured;
  const env = process.env;
  const home = homedir();
  const now = clock(env);
  const path = chosenStoragePath(config, home) ?? databasePath(processSurroundings());
  const channels = composeChannels(config, { client, logPath: logPath(config, home, path), now });
  const { log, notices, toast } = channels;
  tellConfigWarnings(notices, warnings);
  const database = new DatabaseHandle({
    path,
    isWritable: () => isWritable(path),
    open: () => openRuntimeDatabase({ path }),
    movedAside: (aside) => tellMovedAside(notices, path, aside),
    nowMs: () => performance.now(),
  });
  const failures = failureReporter(notices, log, (error) => database.refused(error));
  const current = () => database.current();
  const catalogue = new ModelCatalogue(client);
  const added = locationSources({
    entries: config.sources,
    producerTimeoutMs: config.observation.timeoutMs,
    confined: new Map(
      [...projectSources].map(([key, place]) => [
        key,
        (path) => tellConfigWarnings(notices, [leadsOutside(place, path)]),
      ]),
    ),
    ...{ directory, worktree, env, now },
  });
  const traces = composeTraces(config, log);
  const toolOutput = new ToolOutputHook({
    ...{ config: config.toolOutput, env, home, log, notices, traces, now: Date.now },
    hostLimits: () => hostConfig.outputLimits(),
  });
  const parts = {
    ...{ input, home, env, database, catalogue, hostConfig, added, toolOutput },
    ...{ channels, failures, now, traces, features },
  };
  const runtime = composeRuntime(config, parts);
  const shellEnvironment = new ShellEnvironment(config.environment, directory);
  tellRefused(shellEnvironment, notices);
  return {
    ...{ client, runtime, database, catalogue, hostConfig, added, shellEnvironment },
    ...{ toolOutput, traces, log, notices, toast, failures, now },
    toasts: config.notices.toast ? "shown" : "silent",
    modelOptions: new ModelOptions(config),
    lowering: composeLowering(config, {
      runtime,
      database: current,
      log,
      notices,
      failures,
      now: Date.now,
    }),
    ...composeInbox({
      ...{ client, database, directory, failures, now, traces },
      recovery: config.recovery,
      missingSources: async (prompt) =>
        config.onUnavailable === "block" ? runtime.missingSources(prompt) : [],
      tell: (sessionId, text) => {
        log.info("inbox.told", { session: sessionId, text });
        if (config.notices.toast) showToast(toast, log, text);
      },
    }),
    continuity: new ContinuityHook({
      ...{ client, directory, worktree, log, notices, now, traces },
      config: config.continuity,
      database: current,
    }),
  };
}

/** Tests move the clock by a file that holds an offset in milliseconds; elsewhere there is no such seam. */
function clock(env: NodeJS.ProcessEnv): () => number {
  const offsetFile = env.SESSION_RUNTIME_TEST === "1" ? env.SESSION_RUNTIME_TEST_CLOCK : undefined;
  if (offsetFile === undefined) return Date.now;
  return () => Date.now() + Number(readFileSync(offsetFile, "utf8"));
}
