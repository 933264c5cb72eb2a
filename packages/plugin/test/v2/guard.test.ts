// The guard of hooks: what it opens, when it gives up, and where a failure is reported.
import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from "bun:test";
import { Guard } from "../../src/v2/guard.ts";
import type { Instance } from "../../src/v2/instance.ts";

let errors: ReturnType<typeof spyOn<Console, "error">>;
beforeEach(() => {
  errors = spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  errors.mockRestore();
  jest.useRealTimers();
});

function guarded(fails = 0) {
  const failed: (readonly [string, unknown])[] = [];
  const counts = { opened: 0, closed: 0 };
  const failures = { failed: (where: string, error: unknown) => void failed.push([where, error]) };
  const close = async () => {
    counts.closed += 1;
  };
  const guard = new Guard(async () => {
    counts.opened += 1;
    if (counts.opened <= fails) throw new RangeError("broken");
    return { failures, close } as unknown as Instance;
  });
  return { guard, failed, counts };
}

test("opens at the first work, once, and gives what the work made", async () => {
  const { guard, counts } = guarded();
  expect(guard.isOpen).toBe(false);
  await guard.close();
  expect(await guard.run("a", async () => ({ made: 1 }))).toEqual({ made: 1 });
  expect(await guard.run("b", async () => null)).toBeNull();
  expect(guard.isOpen).toBe(true);
  await guard.close();
  expect(counts).toEqual({ opened: 1, closed: 1 });
  expect(errors).not.toHaveBeenCalled();
});

test("reports work that fails with its place, and goes on", async () => {
  const { guard, failed } = guarded();
  const error = new Error("no");
  expect(await guard.run("a", () => Promise.reject(error))).toBeNull();
  guard.failedBeside("b", 7);
  expect(await guard.run("c", async () => ({}))).toEqual({});
  expect(failed).toEqual([
    ["a", error],
    ["b", 7],
  ]);
});

test("reports what failed before it was open once it is", async () => {
  const { guard, failed } = guarded();
  guard.failedBeside("events", 7);
  expect(failed).toEqual([]);
  await guard.opened();
  expect(failed).toEqual([["events", 7]]);
});

describe("V10: an instance that can't be opened", () => {
  test("is said once with its cause, and no further request waits for it", async () => {
    const { guard, failed, counts } = guarded(1);
    expect(await guard.run("a", async () => ({}))).toBeNull();
    expect(await guard.run("b", async () => ({}))).toBeNull();
    expect(errors.mock.calls).toEqual([
      [
        "Session Runtime could not be opened (RangeError), so requests go as OpenCode makes them. Restart OpenCode to try again.",
      ],
    ]);
    expect([failed, counts.opened]).toEqual([[], 1]);
  });

  test("may have thrown anything", async () => {
    const guard = new Guard(() => Promise.reject("broken"));
    expect(await guard.run("a", async () => ({}))).toBeNull();
    expect(errors.mock.calls[0]?.[0]).toContain("(string)");
  });
});

test("V10: work that takes more than 5 s is reported as late, and the request goes", async () => {
  const { guard, failed } = guarded();
  await guard.opened();
  jest.useFakeTimers();
  const late = guard.run("a", () => new Promise(() => undefined));
  jest.advanceTimersByTime(5_000);
  expect(await late).toBeNull();
  expect(failed).toEqual([["a", new Error("no answer within 5000 ms")]]);
});
