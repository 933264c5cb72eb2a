// The services of an instance: its host and settings, clock, log, notices and database.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { resolveLogPath, resolveStoragePath } from "../config/places.ts";
import type { Config } from "../config/schema.ts";
import type { SessionTraces } from "../feature-api/session-traces.ts";
import { selectSettings } from "../feature-api/settings.ts";
import { composeStoredSchema } from "../feature-api/stored.ts";
import { tracesSettings } from "../features/tracing/feature.ts";
import { createInstanceTraces } from "../features/tracing/instance-traces.ts";
import type { FailureReporter } from "../log/fault.ts";
import { createKnownProject, type KnownProject } from "../project/known-project.ts";
import { createProjectStore } from "../project/store.ts";
import { DatabaseHandle } from "../storage/database-handle.ts";
import { isWritable } from "../storage/files.ts";
import { readPathEnvironment, resolveDatabasePath } from "../storage/location.ts";
import { openRuntimeDatabase } from "../storage/open.ts";
import {
  type Channels,
  composeChannels,
  reportConfigWarnings,
  reportMovedDatabase,
} from "./channels.ts";
import { createFailureReporter } from "./guard.ts";
import type { Host } from "./host.ts";
import type { StartupConfig } from "./startup-config.ts";

export interface Services extends Channels {
  readonly edge: Host;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** The user's home folder. */
  readonly home: string;
  readonly location: { readonly directory: string; readonly worktree: string };
  readonly database: DatabaseHandle;
  readonly project: KnownProject;
  readonly failures: FailureReporter;
  readonly traces: SessionTraces;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

export function createServices(edge: Host, { configured, listed }: StartupConfig): Services {
  const { directory, worktree } = edge.place;
  const { config, warnings } = configured;
  const env = process.env;
  const home = homedir();
  const now = createClock(env);
  const path = resolveStoragePath(config, home) ?? resolveDatabasePath(readPathEnvironment());
  const channels = composeChannels(config, {
    toast: edge.toast,
    logPath: resolveLogPath(config, home, path),
    now,
  });
  const { log, notices } = channels;
  reportConfigWarnings(notices, warnings);
  const database = new DatabaseHandle({
    path,
    isWritable: () => isWritable(path),
    open: async () => openRuntimeDatabase({ path, schema: await composeStoredSchema(listed) }),
    movedAside: (moved) => reportMovedDatabase(notices, path, moved),
    nowMs: () => performance.now(),
  });
  const place = { directory, hostName: edge.place.project };
  return {
    edge,
    config,
    env,
    home,
    now,
    database,
    project: createKnownProject(place, () => database.current().store(createProjectStore), now),
    ...channels,
    location: { directory, worktree },
    failures: createFailureReporter(notices, log, (error) => database.onRefused(error)),
    traces: createInstanceTraces(selectSettings(config, tracesSettings), log),
  };
}

/**
 * Builds the clock. Tests can shift it by a file that holds an offset in milliseconds; elsewhere it can't be
 * shifted.
 */
export function createClock(env: NodeJS.ProcessEnv): () => number {
  const offsetFile = env.SESSION_RUNTIME_TEST === "1" ? env.SESSION_RUNTIME_TEST_CLOCK : undefined;
  if (offsetFile === undefined) return Date.now;
  return () => Date.now() + Number(readFileSync(offsetFile, "utf8"));
}
