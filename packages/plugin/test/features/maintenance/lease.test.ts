import { describe, expect, test } from "bun:test";
import type { LeaseHold } from "../../../src/feature-api/extension-point.ts";
import { MaintenanceScheduler } from "../../../src/features/maintenance/scheduler.ts";
import { Workspace } from "../../storage/workspace.ts";
import { DAY_MS, formatProposals, project, shownIn, UpkeepStage } from "./stage.ts";

// Upkeep where the machines of a team share a project; the server's side is in team/project-lease.test.ts.
const workspace = new Workspace();
const HOUR_MS = DAY_MS / 24;
const DIRECTORY = "/shop";

async function withStale(count: number, hold: (times: number) => LeaseHold) {
  const stage = await new UpkeepStage(workspace).enter();
  for (let at = 0; at < count; at++) {
    await stage.remember(`Ticket OPS-${at} is half done.`, { daysOld: 300 });
  }
  stage.answer = (call) =>
    formatProposals(
      ...shownIn(call, "memories").map(({ ref }) => ({ do: "archive", ref, why: "over" })),
    );
  const holders: string[] = [];
  const released: (readonly [string, string | null])[] = [];
  stage.lease = {
    ...stage.lease,
    hold: async (_, holder) => {
      holders.push(holder);
      return hold(holders.length);
    },
    release: async (_, holder, done) => void released.push([holder, done]),
  };
  return { stage, holders, released };
}

const listRuns = (stage: UpkeepStage) =>
  stage
    .runs()
    .list(project.id, DIRECTORY, 9)
    .map(({ task, code }) => [task, code]);

describe("a run of a project that machines share", () => {
  test("Z15: holds it under one name at every step, and gives it back with what was done", async () => {
    const { stage, holders, released } = await withStale(2, () => "held");
    await stage.run("archive");
    expect(holders.length).toBeGreaterThan(1);
    const [holder = ""] = holders;
    expect(holder).not.toBe("");
    expect(new Set(holders)).toEqual(new Set([holder]));
    expect(released).toEqual([[holder, "archive"]]);
    expect(await stage.active()).toEqual([]);
    await stage.run("archive");
    expect(holders.at(-1)).not.toBe(holder);
  });

  test("Z15: asks no model and changes nothing while another machine is at it, nor do the tasks after it", async () => {
    const { stage, released } = await withStale(2, () => "elsewhere");
    await stage.run();
    expect(stage.calls).toEqual([]);
    expect(await stage.active()).toHaveLength(2);
    expect(listRuns(stage)).toEqual([["verify", "elsewhere"]]);
    expect(released).toEqual([]);
    expect((await stage.desk("list")).text).toContain(
      "ended: another machine of the team is running it",
    );
  });

  test("Z15: that lost it between two steps doesn't make what it proposed", async () => {
    const { stage, released } = await withStale(2, (times) => (times === 1 ? "held" : "elsewhere"));
    await stage.run("archive");
    expect(stage.calls).toHaveLength(1);
    expect(await stage.active()).toHaveLength(2);
    expect((await stage.desk("show")).text).toContain("as the run ended first");
    expect(released).toEqual([]);
  });

  test("Z15: with the server away it does what a person asked for, and leaves a schedule's for later", async () => {
    const asked = await withStale(2, () => "away");
    await asked.stage.run("archive");
    expect(await asked.stage.active()).toEqual([]);
    const { stage } = await withStale(2, () => "away");
    const begin = {
      project: project.id,
      directory: DIRECTORY,
      board: DIRECTORY,
      askedBy: "schedule",
    } as const;
    stage.runs().begin({ ...begin, tasks: ["archive", "improve"] }, stage.nowMs);
    await stage.runAll();
    expect(stage.calls).toEqual([]);
    expect(listRuns(stage)).toEqual([["archive", "store_away"]]);
    expect((await stage.desk("list")).text).toContain("the team's store can't be reached");
  });

  test("Z15: what failed was not done, for the other machines", async () => {
    const { stage, released } = await withStale(2, () => "held");
    stage.answer = () => "No.";
    await stage.run("archive");
    expect(released.map(([, done]) => done)).toEqual([null]);
  });
});

describe("the clock of a project that machines share", () => {
  async function withClock(done: UpkeepStage["lease"]["done"]) {
    const stage = await new UpkeepStage(workspace).enter();
    let begun = 0;
    const usual = { schedule: "0 * * * *", model: null, tokensPerRun: 1_000, tokensPerDay: 1_000 };
    const clock = new MaintenanceScheduler({
      settings: { tasks: { verify: usual, improve: usual }, quietMinutes: 5 },
      ...{
        directory: DIRECTORY,
        worker: DIRECTORY,
        project: async () => project,
        ready: async () => undefined,
      },
      runs: () => stage.runs(),
      lease: () => ({ done }),
      begun: () => {
        begun += 1;
      },
      failed: (error) => {
        throw error;
      },
      now: () => stage.nowMs,
      checkMs: 60_000,
    });
    stage.nowMs += HOUR_MS;
    return { stage, clock, look: () => clock.check(), begun: () => begun };
  }

  test("Z15: waits for another machine's run, and for a server that can't say whether there is one", async () => {
    for (const answer of ["elsewhere", "away"] as const) {
      let says: "elsewhere" | "away" | ReadonlyMap<string, number> = answer;
      const { look, begun } = await withClock(async () => says);
      await look();
      expect(begun()).toBe(0);
      says = new Map();
      await look();
      expect(begun()).toBe(1);
    }
  });

  test("Z15: leaves out for the cooldown what another machine has done", async () => {
    let doneAtMs = 0;
    const { stage, look } = await withClock(async () => new Map([["verify", doneAtMs]]));
    doneAtMs = stage.nowMs - HOUR_MS;
    await look();
    expect(listRuns(stage)).toEqual([["improve", null]]);
    await stage.runAll();
    stage.nowMs += 12 * HOUR_MS;
    await look();
    expect(listRuns(stage)[0]).toEqual(["verify", null]);
  });

  test("Z13: begins nothing where a session has gone to work while the server was asked", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { clock, look, begun } = await withClock(async () => {
      await answered;
      return new Map();
    });
    const looking = look();
    clock.onBusy("ses_1" as never);
    answer();
    await looking;
    expect(begun()).toBe(0);
  });

  test("Z15: asks no server while nothing is due", async () => {
    let asked = 0;
    const { stage, look } = await withClock(async () => {
      asked += 1;
      return new Map();
    });
    await look();
    await stage.runAll();
    stage.nowMs += HOUR_MS;
    await look();
    expect(asked).toBe(1);
  });
});
