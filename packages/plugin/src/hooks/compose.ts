import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { PluginInput } from "@opencode-ai/plugin";
import { loadConfig } from "../config/load.ts";
import { chosenStoragePath, logPath } from "../config/places.ts";
import { type ConfigWarning, warningLine } from "../config/warning.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { createLog, type FileLog } from "../log/log.ts";
import { createNotices, type Notices, noToast, processMemory, type Toast } from "../log/once.ts";
import type { NativeLowering } from "../lowering/native-lowering.ts";
import { ModelOptions } from "../options/model-options.ts";
import { ShellEnvironment } from "../options/shell-environment.ts";
import { SessionRuntime } from "../session/runtime.ts";
import { FileCache } from "../sources/file-cache.ts";
import { hostScope } from "../sources/instruction-scope.ts";
import { UrlCache, urlCacheDefaults } from "../sources/instruction-urls.ts";
import { type LocationSources, locationSources } from "../sources/own/location-sources.ts";
import { DatabaseHandle } from "../storage/database-handle.ts";
import { databasePath, processSurroundings } from "../storage/location.ts";
import { openRuntimeDatabase } from "../storage/open.ts";
import type { SessionTraces } from "../traces/session-traces.ts";
import { ModelCatalogue } from "./catalogue.ts";
import { ContinuityHook } from "./compacting.ts";
import { composeInbox, showToast } from "./compose-inbox.ts";
import { composeTraces } from "./compose-traces.ts";
import { type FailureReporter, failureReporter } from "./guard.ts";
import { HostConfig } from "./host-config.ts";
import { composeLowering } from "./lowering.ts";
import { tellRefused } from "./shell-env.ts";
import { ToolOutputHook } from "./tool-output.ts";

/** All that the hooks of one plugin instance delegate to. */
export interface ComposedPlugin {
  readonly client: PluginInput["client"];
  readonly runtime: SessionRuntime;
  readonly inbox: Inbox;
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
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

/** How long after a call's hooks its row is written: by then the request is on its way. */
const AFTER_SEND_MS = 30;

/** Builds the runtime of one project directory; null where the configuration turns it off. */
export async function composePlugin(
  input: PluginInput,
  options: unknown,
): Promise<ComposedPlugin | null> {
  const { client, directory, worktree } = input;
  const env = process.env;
  const home = homedir();
  const { config, warnings } = await loadConfig({ directory, worktree, options, env, home });
  if (!config.enabled) return null;
  const now = clock(env);
  const path = chosenStoragePath(config, home) ?? databasePath(processSurroundings());
  const log = createLog({
    path: logPath(config, home, path),
    level: config.log.level,
    limits: { bytes: config.log.maxBytes, ageMs: config.log.maxAgeDays * DAY_MS },
    now,
  });
  const traces = composeTraces(config, log);
  const toast = hostToast(client);
  const notices = createNotices(
    { toast: config.notices.toast ? toast : noToast, log },
    processMemory,
  );
  tellConfigWarnings(notices, warnings);
  const failures = failureReporter(notices, log);
  const database = new DatabaseHandle({
    open: () => openRuntimeDatabase({ path }),
    movedAside: (aside) => tellMovedAside(notices, path, aside),
    now: Date.now,
  });
  const lowering = composeLowering(config, {
    database: () => database.current(),
    log,
    notices,
    failures,
    now: Date.now,
  });
  const catalogue = new ModelCatalogue(client);
  const hostConfig = new HostConfig(directory);
  const toolOutput = new ToolOutputHook({
    config: config.toolOutput,
    env,
    home,
    hostLimits: () => hostConfig.outputLimits(),
    log,
    notices,
    now: Date.now,
  });
  const files = new FileCache({ limitBytes: config.instructions.maxBytes, now: Date.now });
  const added = locationSources({
    entries: config.sources,
    producerTimeoutMs: config.observation.timeoutMs,
    directory,
    env,
    now,
  });
  const runtime = new SessionRuntime({
    database: () => database.current(),
    location: { directory, worktree },
    ground: {
      environment: {
        directory,
        worktree,
        git: input.project.vcs === "git" ? "yes" : "no",
        platform: process.platform,
      },
      scope: hostScope(
        { directory, worktree, configured: () => hostConfig.instructions() },
        env,
        home,
      ),
      files,
      urls: new UrlCache({
        ...urlCacheDefaults,
        limitBytes: config.instructions.maxBytes,
        refreshMs: config.instructions.urlRefreshMs,
      }),
      now,
      timeZone: config.date.timeZone,
      apiIdOf: (providerId, modelId) => catalogue.apiIdOf(providerId, modelId),
      additions: added.additions,
    },
    files,
    settings: {
      cacheTtlMs: config.cache.ttlMs,
      sourceTimeoutMs: config.observation.timeoutMs,
      onModelSwitch: config.epoch.onModelSwitch,
      split: config.cache.split,
    },
    hostPrune: () => hostConfig.prune(),
    now,
    defer: (work) => setTimeout(work, AFTER_SEND_MS),
    sourceFailed: (key, reason) => {
      log.warn("source.unavailable", { key, reason });
      notices.notice({
        code: `source_unavailable:${key}`,
        severity: "warning",
        message: `${key} can't be read now (${reason}).`,
        remedy: "The model keeps what it was told of it; it is asked again at every call.",
      });
    },
    storageFailed: (error) => failures.failed("storage", error),
  });
  const inbox = composeInbox({
    client,
    database,
    directory,
    recovery: config.recovery,
    missingSources: async (prompt) =>
      config.onUnavailable === "block" ? runtime.missingSources(prompt) : [],
    tell: (sessionId, text) => {
      log.info("inbox.told", { session: sessionId, text });
      if (config.notices.toast) showToast(toast, log, text);
    },
    failures,
    now,
  });
  const continuity = new ContinuityHook({
    client,
    directory,
    worktree,
    config: config.continuity,
    database: () => database.current(),
    log,
    now,
  });
  const shellEnvironment = new ShellEnvironment(config.environment, directory);
  tellRefused(shellEnvironment, notices);
  return {
    added,
    modelOptions: new ModelOptions(config),
    shellEnvironment,
    client,
    runtime,
    inbox,
    database,
    catalogue,
    hostConfig,
    toolOutput,
    continuity,
    traces,
    lowering,
    log,
    notices,
    failures,
    toast,
    now,
  };
}

/** Tests move the clock by a file that holds an offset in milliseconds; elsewhere there is no such seam. */
function clock(env: NodeJS.ProcessEnv): () => number {
  const offsetFile = env.SESSION_RUNTIME_TEST === "1" ? env.SESSION_RUNTIME_TEST_CLOCK : undefined;
  if (offsetFile === undefined) return Date.now;
  return () => Date.now() + Number(readFileSync(offsetFile, "utf8"));
}

function hostToast(client: PluginInput["client"]): Toast {
  return async (message, severity) => {
    await client.tui.showToast({ body: { title: "Session Runtime", message, variant: severity } });
  };
}

function tellConfigWarnings(notices: Notices, warnings: readonly ConfigWarning[]): void {
  for (const warning of warnings) {
    notices.notice({
      code: `config:${warning.file}:${warning.key ?? ""}`,
      severity: "warning",
      message: warningLine(warning),
      remedy: "The default is used; correct the key and start OpenCode anew.",
    });
  }
}

function tellMovedAside(notices: Notices, path: string, aside: string): void {
  notices.notice({
    code: "storage_moved_aside",
    severity: "error",
    message: `The runtime's database ${path} was damaged and has been moved to ${aside}.`,
    remedy:
      "A new one was begun: running sessions start a new epoch. Keep the old file if you want it looked at.",
  });
}
