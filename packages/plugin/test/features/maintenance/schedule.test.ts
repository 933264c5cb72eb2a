import { describe, expect, spyOn, test } from "bun:test";
import { findCronProblem, loadCron } from "../../../src/features/maintenance/cron.ts";
import type { RunRecord } from "../../../src/features/maintenance/run-table.ts";
import { listDueTasks, MaintenanceScheduler } from "../../../src/features/maintenance/scheduler.ts";
import type { MaintenanceSettings } from "../../../src/features/maintenance/settings.ts";
import { Workspace } from "../../storage/workspace.ts";
import { DAY_MS, NOON_MS, project, UpkeepStage } from "./stage.ts";

const workspace = new Workspace();
const HOUR_MS = DAY_MS / 24;
const usual = { schedule: null, model: null, tokensPerRun: 1_000, tokensPerDay: 1_000 };
const settings: MaintenanceSettings = {
  tasks: { verify: usual, improve: { ...usual, schedule: "0 * * * *" } },
  ...{ quietMinutes: 5 },
};
const { nextAtMs } = await loadCron();

function ran(given: Partial<RunRecord>): RunRecord {
  const base = {
    id: 1,
    project: project.id,
    directory: "/shop",
    task: "improve",
    rest: [],
  } as const;
  const none = {
    askedBy: "schedule",
    holder: "",
    jobId: null,
    activeMemories: null,
    model: null,
  } as const;
  const times = { begunAtMs: NOON_MS, endedAtMs: NOON_MS, code: null, undoneAtMs: null };
  return { ...base, ...none, patch: null, ...times, ...given };
}

const due = (runs: readonly RunRecord[], nowMs: number) =>
  listDueTasks({ settings, runs, elsewhere: new Map(), nowMs, nextAtMs });

describe("a schedule", () => {
  test("Z13: starts a task that never ran as soon as a time of the last day has passed", () => {
    expect(due([], NOON_MS + 5 * 60_000)).toEqual(["improve"]);
    const never = { ...settings, tasks: { improve: { ...usual, schedule: "0 0 1 1 *" } } };
    const asked = { runs: [], elsewhere: new Map(), nowMs: NOON_MS, nextAtMs };
    expect(listDueTasks({ settings: never, ...asked })).toEqual([]);
  });

  test("Z13: rests after a run, and while one is going on", () => {
    expect(due([ran({})], NOON_MS + 11 * HOUR_MS)).toEqual([]);
    expect(due([ran({})], NOON_MS + 13 * HOUR_MS)).toEqual(["improve"]);
    expect(due([ran({ endedAtMs: null })], NOON_MS + 13 * HOUR_MS)).toEqual([]);
  });

  test("Z13: rests for a day after three runs that failed alike; budgets are no failures", () => {
    const three = (code: string) =>
      [0, 1, 2].map((at) => {
        const atMs = NOON_MS - at * 13 * HOUR_MS;
        return ran({ code, begunAtMs: atMs, endedAtMs: atMs });
      });
    const later = NOON_MS + 13 * HOUR_MS;
    expect(due(three("bad_answer"), later)).toEqual([]);
    expect(due(three("bad_answer"), NOON_MS + 25 * HOUR_MS)).toEqual(["improve"]);
    expect(due(three("bad_answer").slice(0, 2), later)).toEqual(["improve"]);
    expect(due(three("budget"), later)).toEqual(["improve"]);
    const mixed = [...three("bad_answer").slice(0, 2), ran({ code: "timeout" })];
    expect(due(mixed, later)).toEqual(["improve"]);
  });

  test("Z13: rests for 12 hours to the millisecond, and its own rest is no other task's", () => {
    const at = (nowMs: number, given: Partial<RunRecord> = {}) => due([ran(given)], nowMs);
    expect(at(NOON_MS + 12 * HOUR_MS - 1)).toEqual([]);
    expect(at(NOON_MS + 12 * HOUR_MS)).toEqual(["improve"]);
    expect(at(NOON_MS + HOUR_MS, { task: "verify" })).toEqual(["improve"]);
    expect(at(NOON_MS + HOUR_MS, { task: "verify", endedAtMs: null })).toEqual(["improve"]);
  });

  test("Z13: counts a time of the last day alone, since it or another machine last did it", () => {
    const asked: number[] = [];
    const from = (runs: readonly RunRecord[], othersAtMs: number, comesMs: number) => {
      const elsewhere = new Map([["improve", othersAtMs]]);
      const next = (_: string, afterMs: number) => {
        asked.push(afterMs);
        return comesMs;
      };
      return listDueTasks({ settings, runs, elsewhere, nowMs: NOON_MS, nextAtMs: next });
    };
    const [long, short] = [NOON_MS - 30 * HOUR_MS, NOON_MS - 20 * HOUR_MS];
    const own = (begunAtMs: number) => [ran({ begunAtMs, endedAtMs: begunAtMs + 1 })];
    expect(from(own(long), 0, NOON_MS)).toEqual(["improve"]);
    expect(from(own(short), long, NOON_MS + 1)).toEqual([]);
    expect(from(own(long), short, NOON_MS)).toEqual(["improve"]);
    expect(from([], NOON_MS - 12 * HOUR_MS + 1, NOON_MS)).toEqual([]);
    expect(asked).toEqual([NOON_MS - DAY_MS, short, short]);
  });

  test("is read by the library: what names no time is found", async () => {
    expect(await findCronProblem("0 3 * * *", NOON_MS)).toBeNull();
    expect(await findCronProblem("61 3 * * *", NOON_MS)).toContain("61");
    expect(await findCronProblem("0 3 31 2 *", NOON_MS)).toBe("it matches no time in the future");
  });
});

describe("the clock", () => {
  async function withClock(given: MaintenanceSettings = settings) {
    const stage = await new UpkeepStage(workspace).enter();
    let begun = 0;
    const failures: unknown[] = [];
    const clock = new MaintenanceScheduler({
      ...{
        settings: given,
        directory: "/shop",
        worker: "/shop",
        project: async () => project,
        ready: async () => undefined,
      },
      runs: () => stage.runs(),
      lease: () => stage.lease,
      begun: () => {
        begun += 1;
      },
      failed: (error) => void failures.push(error),
      now: () => stage.nowMs,
      checkMs: 60_000,
    });
    return { stage, clock, begun: () => begun, failures };
  }

  test("Z13: begins one run when no session has been at work for a while", async () => {
    const { stage, clock, begun } = await withClock();
    const session = "ses_1" as never;
    clock.onBusy(session);
    stage.nowMs += HOUR_MS;
    await clock.check();
    clock.onIdle(session);
    stage.nowMs += 4 * 60_000;
    await clock.check();
    expect(begun()).toBe(0);
    stage.nowMs += 2 * 60_000;
    await Promise.all([clock.check(), clock.check()]);
    expect(begun()).toBe(1);
    expect(stage.runs().list(project.id, "/shop", 9)).toMatchObject([
      { task: "improve", askedBy: "schedule" },
    ]);
    await stage.runAll();
    await clock.check();
    expect(begun()).toBe(1);
  });

  test("Z13: looks again and again where a task has a schedule, until it is stopped", async () => {
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    const clock = (given: MaintenanceSettings) =>
      new MaintenanceScheduler({
        ...{ settings: given, directory: "/shop", worker: "/shop", project: async () => project },
        runs: () => {
          throw new Error("not asked");
        },
        ...{ lease: () => ({ done: async () => new Map() }), begun: () => undefined },
        ready: async () => {
          throw new RangeError("away");
        },
        failed: (error) => {
          if (error instanceof RangeError) resolve();
        },
        ...{ now: () => NOON_MS, checkMs: 1 },
      });
    const timers = spyOn(globalThis, "setInterval");
    try {
      clock({ ...settings, tasks: { verify: usual } }).start();
      expect(timers).not.toHaveBeenCalled();
      const going = clock({ ...settings, quietMinutes: 0 });
      going.start();
      await looked;
      going.stop();
      expect(timers).toHaveBeenCalledTimes(1);
      expect(timers.mock.calls[0]?.[1]).toBe(1);
      const timer = timers.mock.results[0]?.value as ReturnType<typeof setInterval>;
      expect(timer.hasRef()).toBe(false);
    } finally {
      timers.mockRestore();
    }
  });

  test("Z13: begins once the quiet time is over to the millisecond, from its own start on", async () => {
    const { stage, clock, begun } = await withClock();
    const look = async (nowMs: number) => {
      stage.nowMs = nowMs;
      await clock.check();
      return begun();
    };
    expect(await look(NOON_MS + 5 * 60_000 - 1)).toBe(0);
    expect(await look(NOON_MS + 5 * 60_000)).toBe(1);
  });

  test("a schedule that can't be read is reported once, and keeps no other task from its own", async () => {
    const verify = { ...usual, schedule: "61 * * * *" };
    const { stage, clock, failures } = await withClock({
      ...settings,
      tasks: { ...settings.tasks, verify },
    });
    stage.nowMs += 6 * 60_000;
    await clock.check();
    expect(stage.runs().list(project.id, "/shop", 9)).toMatchObject([{ task: "improve" }]);
    await clock.check();
    expect(failures.map(String)).toEqual([expect.stringContaining("61")]);
  });
});
