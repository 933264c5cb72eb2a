// The guard of hooks: what it opens, when it gives up, and where a failure is reported.
import { afterEach, describe, expect, jest, test } from "bun:test";
import type { FailureReporter } from "../../src/log/fault.ts";
import { TimeoutError } from "../../src/runtime/guard.ts";
import { OpeningGuard } from "../../src/runtime/opening-guard.ts";

afterEach(() => void jest.useRealTimers());

function guarded(fails = 0) {
  const failed: (readonly [string, unknown])[] = [];
  const refused: (readonly [string, unknown])[] = [];
  const counts = { opened: 0, closed: 0 };
  const failures = {
    failed: (where: string, error: unknown) => void failed.push([where, error]),
    worked: () => undefined,
    storageWorks: () => undefined,
  };
  const close = async () => {
    counts.closed += 1;
  };
  const guard = new OpeningGuard({
    async open() {
      counts.opened += 1;
      if (counts.opened <= fails) throw new RangeError("broken");
      return { failures, close };
    },
    refused: (where, error) => void refused.push([where, error]),
  });
  return { guard, failed, refused, counts };
}

test("opens at the first work, once, and gives what the work made", async () => {
  const { guard, refused, counts } = guarded();
  expect(guard.isOpen).toBe(false);
  await guard.close();
  expect(await guard.run("a", async () => ({ made: 1 }))).toEqual({ made: 1 });
  expect(await guard.run("b", async () => null)).toBeNull();
  expect(guard.isOpen).toBe(true);
  await guard.close();
  expect(counts).toEqual({ opened: 1, closed: 1 });
  expect(refused).toEqual([]);
});

test("an end opens nothing, waits for what is opening, and is not delayed by what could not be opened", async () => {
  const unused = guarded();
  await unused.guard.close();
  expect(unused.counts).toEqual({ opened: 0, closed: 0 });
  const opening = guarded();
  const first = opening.guard.run("a", async () => 1);
  await opening.guard.close();
  expect(opening.counts).toEqual({ opened: 1, closed: 1 });
  expect(await first).toBe(1);
  const broken = guarded(1);
  await broken.guard.run("a", async () => 1);
  await broken.guard.close();
  expect(broken.counts).toEqual({ opened: 1, closed: 0 });
});

test("reports work that fails with its place, and goes on", async () => {
  const { guard, failed } = guarded();
  const error = new Error("no");
  expect(await guard.run("a", () => Promise.reject(error))).toBeNull();
  guard.reportFailure("b", 7);
  expect(await guard.run("c", async () => ({}))).toEqual({});
  expect(failed).toEqual([
    ["a", error],
    ["b", 7],
  ]);
});

test("reports what failed before it was open once it is", async () => {
  const { guard, failed } = guarded();
  guard.reportFailure("events", 7);
  expect(failed).toEqual([]);
  await guard.whenOpened();
  expect(failed).toEqual([["events", 7]]);
});

describe("V10: an instance that can't be opened", () => {
  test("is said once with its cause, and no further request waits for it", async () => {
    const { guard, failed, refused, counts } = guarded(1);
    expect(await guard.run("a", async () => ({}))).toBeNull();
    expect(await guard.run("b", async () => ({}))).toBeNull();
    expect(await guard.attempt("c", async () => ({}))).toBeNull();
    expect(refused).toEqual([["a", new RangeError("broken")]]);
    expect([failed, counts.opened]).toEqual([[], 1]);
  });

  test("is said once where several wait for it", async () => {
    const { guard, refused } = guarded(1);
    const all = ["a", "b"].map((where) => guard.run(where, async () => ({})));
    expect(await Promise.all(all)).toEqual([null, null]);
    expect(refused).toEqual([["a", new RangeError("broken")]]);
  });

  test("in time delays no request, and serves those that come once it is open", async () => {
    jest.useFakeTimers();
    const opening = Promise.withResolvers<{
      failures: FailureReporter;
      close: () => Promise<void>;
    }>();
    const refused: string[] = [];
    const guard = new OpeningGuard({
      open: () => opening.promise,
      refused: (where) => void refused.push(where),
    });
    const first = guard.run("a", async () => 1);
    jest.advanceTimersByTime(5_000);
    expect(await first).toBeNull();
    expect(await guard.run("b", async () => 2)).toBeNull();
    expect(refused).toEqual(["a"]);
    opening.resolve({
      failures: { failed: () => undefined, worked: () => undefined, storageWorks: () => undefined },
      close: async () => undefined,
    });
    await guard.whenOpened();
    expect(await guard.run("c", async () => 3)).toBe(3);
  });
});

test("work that may take its time is not limited, and reported where it fails", async () => {
  const { guard, failed } = guarded();
  await guard.whenOpened();
  jest.useFakeTimers();
  const work = Promise.withResolvers<string>();
  const long = guard.attempt("a", () => work.promise);
  jest.advanceTimersByTime(60_000);
  work.resolve("late");
  expect(await long).toBe("late");
  const error = new Error("no");
  expect(await guard.attempt("b", () => Promise.reject(error))).toBeNull();
  expect(failed).toEqual([["b", error]]);
});

test("V10: work that takes more than 5 s is reported as late, and the request goes", async () => {
  const { guard, failed } = guarded();
  await guard.whenOpened();
  jest.useFakeTimers();
  const late = guard.run("a", () => new Promise(() => undefined));
  jest.advanceTimersByTime(5_000);
  expect(await late).toBeNull();
  expect(failed).toEqual([["a", new TimeoutError(5_000)]]);
});
