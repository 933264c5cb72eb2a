// Upkeep in one plugin instance: its job, its command, and the clock that starts tasks at quiet times.
import type { Room } from "../../features/feature.ts";
import type { House } from "../../features/house.ts";
import { type LeaseOf, unshared } from "../../features/project-lease.ts";
import { noted } from "../../features/refusal.ts";
import { settingsOf } from "../../features/settings.ts";
import { faultFields } from "../../log/fault.ts";
import { sqliteMemoryStore } from "../memory/sqlite-store.ts";
import { Clock } from "./clock.ts";
import { setTasks, UpkeepDesk } from "./desk.ts";
import { writePatch } from "./patch.ts";
import { projectFiles } from "./project-files.ts";
import { runStore, UPKEEP } from "./run-store.ts";
import { upkeepSettings } from "./settings.ts";
import { upkeepJob } from "./work.ts";

const LOOK_MS = 60_000;

interface UpkeepGiven {
  readonly lease: LeaseOf | null;
}

export function openRoom(house: House, given: UpkeepGiven): Room {
  const { config, database, env, jobs, location, log, now } = house;
  const { directory } = location;
  const settings = settingsOf(config, upkeepSettings);
  const runs = () => database.current().store(runStore);
  const memories = () => database.current().store(sqliteMemoryStore);
  const project = () => house.project.looked();
  const lease = () => given.lease?.(UPKEEP) ?? unshared;
  const clock = new Clock({
    settings,
    directory,
    board: jobs.place.board,
    runs,
    project,
    lease,
    now,
    ready: () => database.ensure(),
    begun: () => jobs.wake(),
    failed: (error) => log.warn("upkeep.clock_failed", faultFields(error)),
    lookMs: lookMs(env),
  });
  clock.start();
  const onCommand = async (args: string): Promise<string> => {
    await database.ensure();
    const desk = new UpkeepDesk({
      runs: runs(),
      memories: memories(),
      project: await project(),
      directory,
      board: jobs.place.board,
      now,
      tasks: setTasks(settings),
      askedBy: "command",
      named: (words) => `/ctx-${words}`,
    });
    const { text } = await desk.carryOut(args.split(/\s+/u).filter((word) => word !== ""));
    jobs.wake();
    return text;
  };
  return {
    jobs: [
      upkeepJob({
        runs,
        memories,
        project,
        lease,
        settings,
        fallbacks: config.jobs.fallbacks,
        now,
        files: projectFiles,
        writePatch: (...patch) => writePatch(database.path, ...patch),
      }),
    ],
    commands: [
      {
        kind: "action",
        name: "ctx-upkeep",
        dialog: () => null,
        act: ({ args }) => noted(() => onCommand(args)),
      },
    ],
    hooks: {
      heard: ({ kind, sessionId }) => {
        if (kind === "busy") clock.sawBusy(sessionId);
        if (kind === "idle" || kind === "deleted") clock.sawIdle(sessionId);
      },
      closed: () => clock.stop(),
    },
  };
}

/** Tests have no minute to spare; elsewhere there is no such seam. */
function lookMs({ SESSION_RUNTIME_TEST, SESSION_RUNTIME_TEST_LOOK_MS }: House["env"]): number {
  return SESSION_RUNTIME_TEST === "1" ? Number(SESSION_RUNTIME_TEST_LOOK_MS ?? LOOK_MS) : LOOK_MS;
}
