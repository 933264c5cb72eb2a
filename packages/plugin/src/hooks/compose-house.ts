// Builds what every feature may use, and the parts that the hooks share with features.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { chosenStoragePath, logPath } from "../config/places.ts";
import type { ResolvedConfig } from "../config/resolve.ts";
import { leadsOutside } from "../config/warning.ts";
import type { Feature } from "../features/feature.ts";
import { Finders } from "../features/finders.ts";
import type { House, HouseRuntime } from "../features/house.ts";
import { JobBoard } from "../features/job-board.ts";
import { NextCalls } from "../features/next-calls.ts";
import { ProjectLeases } from "../features/project-lease.ts";
import { settingsOf } from "../features/settings.ts";
import { storedSchema } from "../features/stored.ts";
import { WrittenSegments } from "../features/written-segments.ts";
import type { Host } from "../host/host.ts";
import type { Notices } from "../log/notices.ts";
import { instanceTraces } from "../rooms/traces/instance-traces.ts";
import { tracesSettings } from "../rooms/traces/settings.ts";
import { DatabaseHandle } from "../storage/database-handle.ts";
import { isWritable } from "../storage/files.ts";
import { databasePath, processSurroundings } from "../storage/location.ts";
import { openRuntimeDatabase } from "../storage/open.ts";
import {
  type Channels,
  composeChannels,
  reportConfigWarnings,
  reportMovedAside,
} from "./compose-channels.ts";
import { failureReporter } from "./guard.ts";

/** What an instance begins with: its host, and what was found out before anything was loaded. */
export interface Beginning {
  readonly edge: Host;
  readonly configured: ResolvedConfig;
  /** All features, those that are off too: the database has one schema. */
  readonly listed: readonly Feature[];
}

/** The house with what only the hooks may use. */
export interface ComposedHouse
  extends Omit<House, "log" | "database" | "env">,
    Channels,
    Beginning {
  readonly database: DatabaseHandle;
  readonly env: NodeJS.ProcessEnv;
  /** Called once, when all rooms are open. */
  readonly began: (runtime: HouseRuntime) => void;
}

export function composeHouse(beginning: Beginning): ComposedHouse {
  const { edge, configured, listed } = beginning;
  const { directory, worktree, project } = edge.place;
  const { config, warnings } = configured;
  const env = process.env;
  const home = homedir();
  const now = clock(env);
  const path = chosenStoragePath(config, home) ?? databasePath(processSurroundings());
  const channels = composeChannels(config, {
    toast: edge.toast,
    logPath: logPath(config, home, path),
    now,
  });
  const { log, notices } = channels;
  reportConfigWarnings(notices, warnings);
  const database = new DatabaseHandle({
    path,
    isWritable: () => isWritable(path),
    open: async () => openRuntimeDatabase({ path, schema: await storedSchema(listed) }),
    movedAside: (aside) => reportMovedAside(notices, path, aside),
    nowMs: () => performance.now(),
  });
  const failures = failureReporter(notices, log, (error) => database.refused(error));
  let runtime: HouseRuntime | null = null;
  return {
    ...beginning,
    env,
    home,
    now,
    config,
    database,
    failures,
    ...channels,
    location: { directory, worktree },
    confined: confinedEntries(configured, notices),
    project,
    host: edge.asked,
    runtime: () => {
      if (runtime) return runtime;
      throw new Error("A room was still being opened.");
    },
    began: (made) => {
      runtime = made;
    },
    traces: instanceTraces(settingsOf(config, tracesSettings), log),
    written: new WrittenSegments(),
    leases: new ProjectLeases(),
    nextCalls: new NextCalls(),
    finders: new Finders(),
    jobs: new JobBoard({
      store: () => database.current().jobs,
      project: edge.place.jobs,
      now,
    }),
  };
}

function confinedEntries({ projectSources }: ResolvedConfig, notices: Notices): House["confined"] {
  const entries = [...projectSources].map(([key, place]) => {
    const refused = (path: string) => reportConfigWarnings(notices, [leadsOutside(place, path)]);
    return [key, refused] as const;
  });
  return new Map(entries);
}

/** Tests move the clock by a file that holds an offset in milliseconds; elsewhere there is no such seam. */
function clock(env: NodeJS.ProcessEnv): () => number {
  const offsetFile = env.SESSION_RUNTIME_TEST === "1" ? env.SESSION_RUNTIME_TEST_CLOCK : undefined;
  if (offsetFile === undefined) return Date.now;
  return () => Date.now() + Number(readFileSync(offsetFile, "utf8"));
}
