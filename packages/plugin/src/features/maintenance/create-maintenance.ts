// Upkeep in one plugin instance: its job, its command, and the scheduler that starts tasks at quiet times.
import { type LeaseForProject, unsharedLease } from "../../feature-api/extension-point.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { answerWithNote } from "../../feature-api/user-facing-error.ts";
import { toFaultFields } from "../../log/fault.ts";
import { createSqliteMemoryStore } from "../memory/sqlite-store.ts";
import { listConfiguredTasks, UpkeepActions } from "./actions.ts";
import { writePatch } from "./patch.ts";
import { createProjectFiles } from "./project-files.ts";
import { createRunStore, UPKEEP_JOB_KIND } from "./run-store.ts";
import { MaintenanceScheduler } from "./scheduler.ts";
import { maintenanceSettings } from "./settings.ts";
import { defineMaintenanceJob } from "./work.ts";

const CHECK_INTERVAL_MS = 60_000;

interface UpkeepDependencies {
  readonly lease: LeaseForProject | null;
}

export function createMaintenanceFeature(
  context: FeatureContext,
  given: UpkeepDependencies,
): FeatureInstance {
  const { config, database, env, jobs, location, log, now } = context;
  const { directory } = location;
  const settings = selectSettings(config, maintenanceSettings);
  const getRunStore = () => database.current().store(createRunStore);
  const getMemoryStore = () => database.current().store(createSqliteMemoryStore);
  const resolveProject = () => context.project.looked();
  const getLease = () => given.lease?.(UPKEEP_JOB_KIND) ?? unsharedLease;
  const scheduler = new MaintenanceScheduler({
    settings,
    directory,
    worker: jobs.place.board,
    runs: getRunStore,
    project: resolveProject,
    lease: getLease,
    now,
    ready: () => database.ensure(),
    begun: () => jobs.wake(),
    failed: (error) => log.warn("upkeep.clock_failed", toFaultFields(error)),
    checkMs: resolveCheckIntervalMs(env),
  });
  scheduler.start();
  const onCommand = async (args: string): Promise<string> => {
    await database.ensure();
    const actions = new UpkeepActions({
      runs: getRunStore(),
      memories: getMemoryStore(),
      project: await resolveProject(),
      directory,
      worker: jobs.place.board,
      now,
      tasks: listConfiguredTasks(settings),
      askedBy: "command",
      named: (words) => `/ctx-${words}`,
    });
    const { text } = await actions.carryOut(args.split(/\s+/u).filter((word) => word !== ""));
    jobs.wake();
    return text;
  };
  return {
    jobs: [
      defineMaintenanceJob({
        runs: getRunStore,
        memories: getMemoryStore,
        project: resolveProject,
        lease: getLease,
        settings,
        fallbacks: config.jobs.fallbacks,
        now,
        files: createProjectFiles,
        writePatch: (...patch) => writePatch(database.path, ...patch),
      }),
    ],
    commands: [
      {
        kind: "action",
        name: "ctx-upkeep",
        dialog: () => null,
        act: ({ args }) => answerWithNote(() => onCommand(args)),
      },
    ],
    hooks: {
      onEvent: ({ kind, sessionId }) => {
        if (kind === "busy") scheduler.onBusy(sessionId);
        if (kind === "idle" || kind === "deleted") scheduler.onIdle(sessionId);
      },
      closed: () => scheduler.stop(),
    },
  };
}

/** Returns the time between two checks; only tests, which can't wait for a minute, may set it. */
function resolveCheckIntervalMs({
  SESSION_RUNTIME_TEST,
  SESSION_RUNTIME_TEST_LOOK_MS,
}: FeatureContext["env"]): number {
  return SESSION_RUNTIME_TEST === "1"
    ? Number(SESSION_RUNTIME_TEST_LOOK_MS ?? CHECK_INTERVAL_MS)
    : CHECK_INTERVAL_MS;
}
