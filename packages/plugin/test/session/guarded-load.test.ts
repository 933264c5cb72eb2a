import { describe, expect, test } from "bun:test";
import * as z from "zod";
import type { LoadResult } from "../../src/context/source.ts";
import { combine, createSystemContext } from "../../src/context/system-context.ts";
import { FILES_LATE_REASON, observeGuarded } from "../../src/session/source-observation.ts";

function source(
  key: string,
  load: () => LoadResult<string> | Promise<LoadResult<string>>,
  readsFilesAlone = () => false,
) {
  return createSystemContext({
    key,
    readsFilesAlone,
    schema: z.string(),
    load,
    baseline: (current) => current,
    update: (_previous, current) => current,
  });
}

const never = () => new Promise<LoadResult<string>>(() => undefined);

/** Key, and the value's hash or why there is none. */
async function states(contexts: readonly ReturnType<typeof source>[], timeoutMs: number) {
  const observed = await observeGuarded(combine(contexts), { timeoutMs, files: "as others" });
  return observed.map(({ key, state }) => [
    String(key),
    state.kind === "unavailable" ? state.reason : state.kind,
  ]);
}

describe("sources observed beside each other", () => {
  test("A20: a failure becomes Unavailable, and the others are seen, in their order", async () => {
    const contexts = [
      source("test/a", async () => "1"),
      source("test/rejects", async () => {
        throw new Error("disk on fire");
      }),
      source("test/throws", () => {
        throw Object.assign(new TypeError("no such command: s3cret"), { code: "ENOENT" });
      }),
      source("test/b", async () => "2"),
      source("test/c", () => "3"),
    ];
    expect(await states(contexts, 1_000)).toEqual([
      ["test/a", "present"],
      ["test/rejects", "its load threw Error"],
      ["test/throws", "its load threw TypeError ENOENT"],
      ["test/b", "present"],
      ["test/c", "present"],
    ]);
  });

  test("I20: no timer is set where all answer without waiting", async () => {
    const original = globalThis.setTimeout;
    let timers = 0;
    const counting = Object.assign((...given: Parameters<typeof setTimeout>) => {
      timers += 1;
      return original(...given);
    }, original);
    globalThis.setTimeout = counting;
    try {
      const contexts = [source("test/a", async () => "1"), source("test/b", async () => "2")];
      await states(contexts, 1_000);
      expect(timers).toBe(0);
      await states([source("test/slow", () => Bun.sleep(1).then(() => "3"))], 1_000);
      expect(timers).toBeGreaterThan(0);
    } finally {
      globalThis.setTimeout = original;
    }
  });

  test("I20: no turn of the event loop is spent where all have answered", async () => {
    let isDone = false;
    let turns = 0;
    const watched = observeGuarded(combine([source("test/a", () => "1")]), {
      timeoutMs: 1_000,
      files: "to the end",
    });
    const done = watched.then(() => {
      isDone = true;
    });
    for (; !isDone; turns += 1) await null;
    await done;
    expect(turns).toBeLessThan(5);
  });

  test("I8: one that gives no answer in time is unavailable, and costs the others nothing", async () => {
    const contexts = [source("test/hangs", never), source("test/b", async () => "2")];
    expect(await states(contexts, 30)).toEqual([
      ["test/hangs", "no answer within 30 ms"],
      ["test/b", "present"],
    ]);
  });
});

describe("a source that reads files of this machine alone", () => {
  /** Answers some turns of the event loop after the time for all others is over. */
  function stage() {
    const answer = Promise.withResolvers<string>();
    const files = source(
      "test/files",
      () => answer.promise,
      () => true,
    );
    const contexts = combine([files, source("test/hangs", never)]);
    const observe = (patience: "to the end" | "as others") =>
      observeGuarded(contexts, { timeoutMs: 1, files: patience });
    return { observe, answer: () => answer.resolve("Use tabs.") };
  }

  const reasons = (observed: Awaited<ReturnType<typeof observeGuarded>>) =>
    observed.map(({ state }) => (state.kind === "unavailable" ? state.reason : state.kind));

  test("is waited for to the end where an epoch begins, whatever the clock says", async () => {
    const { observe, answer } = stage();
    const observing = observe("to the end");
    setTimeout(answer, 40);
    expect(reasons(await observing)).toEqual(["present", "no answer within 1 ms"]);
  });

  test("I8: is unavailable in time in a running epoch, and the machine is named and not the files", async () => {
    const { observe } = stage();
    expect(reasons(await observe("as others"))).toEqual([
      FILES_LATE_REASON,
      "no answer within 1 ms",
    ]);
  });
});
