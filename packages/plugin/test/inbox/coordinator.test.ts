import { describe, expect, test } from "bun:test";
import { Coordinator } from "../../src/inbox/coordinator.ts";
import { quiet } from "./fake-clock.ts";

interface Run {
  readonly key: string;
  readonly signal: AbortSignal;
  finish(): void;
  fail(error: unknown): void;
}

/** A coordinator whose runs end when a test says so. */
function held() {
  const runs: Run[] = [];
  const failures: unknown[] = [];
  const coordinator = new Coordinator<string>({
    run: (key, signal) =>
      new Promise<void>((resolve, reject) => {
        runs.push({ key, signal, finish: () => resolve(), fail: reject });
      }),
    failed: (_key, error) => failures.push(error),
  });
  const at = (index: number): Run => {
    const run = runs[index];
    if (!run) throw new Error(`No run ${index}`);
    return run;
  };
  return { coordinator, runs, failures, at };
}

describe("the coordinator", () => {
  test("H1: joins concurrent resumes of one session", async () => {
    const { coordinator, runs, at } = held();
    const resumes = [coordinator.resume("a"), coordinator.resume("a"), coordinator.resume("a")];
    expect(runs).toHaveLength(1);
    at(0).finish();
    expect(await Promise.all(resumes)).toEqual(["done", "done", "done"]);
    await quiet();
    expect(runs).toHaveLength(1);
    expect(coordinator.isActive("a")).toBe(false);
  });

  test("H2: coalesces wakes during a run: three wakes, one more run", async () => {
    const { coordinator, runs, at } = held();
    coordinator.wake("a");
    for (let wake = 0; wake < 3; wake += 1) coordinator.wake("a");
    expect(runs).toHaveLength(1);
    at(0).finish();
    await quiet();
    expect(runs).toHaveLength(2);
    at(1).finish();
    await quiet();
    expect(runs).toHaveLength(2);
  });

  test("H3: interrupt when idle does nothing", async () => {
    const { coordinator, runs } = held();
    await coordinator.interrupt("a");
    expect(runs).toEqual([]);
    expect(coordinator.isActive("a")).toBe(false);
  });

  test("H4: interrupts only that session, and waits for its clean-up", async () => {
    const { coordinator, at } = held();
    const resumed = coordinator.resume("a");
    coordinator.wake("b");
    let over = false;
    const interrupted = coordinator.interrupt("a").then(() => {
      over = true;
    });
    await quiet();
    expect(at(0).signal.aborted).toBe(true);
    expect(at(1).signal.aborted).toBe(false);
    expect(over).toBe(false);
    at(0).finish();
    await interrupted;
    expect(await resumed).toBe("interrupted");
  });

  test("H4: a wake before it is dropped, one during clean-up runs", async () => {
    const { coordinator, runs, at } = held();
    coordinator.wake("a");
    coordinator.wake("a");
    const dropped = coordinator.interrupt("a");
    at(0).finish();
    await dropped;
    await quiet();
    expect(runs).toHaveLength(1);
    coordinator.wake("a");
    const kept = coordinator.interrupt("a");
    coordinator.wake("a");
    at(1).finish();
    await kept;
    await quiet();
    expect(runs).toHaveLength(3);
    expect(at(2).signal.aborted).toBe(false);
  });

  test("H4: a run that gives up by the signal's own reason was interrupted, and is no failure", async () => {
    const failures: unknown[] = [];
    const coordinator = new Coordinator<string>({
      run: async (_key, signal) => {
        await quiet();
        signal.throwIfAborted();
      },
      failed: (_key, error) => failures.push(error),
    });
    const resumed = coordinator.resume("a");
    await coordinator.interrupt("a");
    expect(await resumed).toBe("interrupted");
    expect(failures).toEqual([]);
  });

  test("H5: different sessions run at once", () => {
    const { coordinator, runs } = held();
    for (const key of ["a", "b", "c"]) coordinator.wake(key);
    expect(runs.map(({ key }) => key)).toEqual(["a", "b", "c"]);
  });

  test("H6: a failure is reported once and does not strand later wakes", async () => {
    const { coordinator, runs, failures, at } = held();
    const resumes = [coordinator.resume("a"), coordinator.resume("a")];
    coordinator.wake("a");
    const error = new Error("the first run");
    at(0).fail(error);
    expect(await Promise.all(resumes)).toEqual(["failed", "failed"]);
    await quiet();
    expect(failures).toEqual([error]);
    expect(runs).toHaveLength(2);
    at(1).finish();
    await quiet();
    coordinator.wake("a");
    expect(runs).toHaveLength(3);
  });

  test("H6: a run that throws before its first wait is a failure like any other", async () => {
    const failures: unknown[] = [];
    const coordinator = new Coordinator<string>({
      run: () => {
        throw new Error("at once");
      },
      failed: (_key, error) => failures.push(error),
    });
    expect(await coordinator.resume("a")).toBe("failed");
    expect(failures).toHaveLength(1);
  });

  test("H7: ten thousand self-waking runs don't grow the stack", async () => {
    let runs = 0;
    const depths: number[] = [];
    const done = Promise.withResolvers<void>();
    const coordinator: Coordinator<string> = new Coordinator({
      run: async (key) => {
        runs += 1;
        if (runs % 1_000 === 1) depths.push(String(new Error("depth").stack).split("\n").length);
        if (runs < 10_000) coordinator.wake(key);
        else done.resolve();
      },
      failed: (_key, error) => done.reject(error),
    });
    coordinator.wake("a");
    await done.promise;
    await quiet();
    expect(runs).toBe(10_000);
    expect(Math.max(...depths.slice(1))).toBe(Math.min(...depths.slice(1)));
    expect(coordinator.isActive("a")).toBe(false);
  });
});
