import { describe, expect, test } from "bun:test";
import { type FileTouch, rankFiles } from "../../../src/features/search/key-file-rank.ts";

const DAY = 24 * 3_600_000;
const touch = (session: number, words: string, count = 1, lastAtMs = 100 * DAY): FileTouch => ({
  ...{ session, words, count, lastAtMs },
});
const paths = (touches: readonly FileTouch[]) => rankFiles(touches).map(({ path }) => path);

describe("HT4: which files are key", () => {
  test("those of two sessions or more; many reads in one session are no habit", () => {
    const touches = [
      touch(1, "read once.ts", 90),
      touch(1, "read twice.ts"),
      touch(2, "read twice.ts"),
    ];
    expect(rankFiles(touches)).toEqual([
      { path: "twice.ts", sessions: 2, reads: 2, edits: 0, score: 2 },
    ]);
  });

  test("sessions count more than calls, edits more than reads, what is recent more than what is old", () => {
    const both = (words: string, count: number, lastAtMs?: number) =>
      [1, 2].map((session) => touch(session, words, count, lastAtMs));
    const three = [1, 2, 3].map((session) => touch(session, "edit three.ts", 2));
    expect(paths([...both("read many.ts", 50), ...three])).toEqual(["three.ts", "many.ts"]);
    expect(paths([...both("read a.ts", 1), ...both("edit b.ts", 1)])).toEqual(["b.ts", "a.ts"]);
    const old = both("read a.ts", 2, 60 * DAY);
    expect(paths([...old, ...both("read b.ts", 1)])).toEqual(["b.ts", "a.ts"]);
    expect(paths([...both("read b.ts", 1), ...both("read a.ts", 1)])).toEqual(["a.ts", "b.ts"]);
  });

  test("the same touches in another order rank the same; calls of other tools and cut ones are left out", () => {
    const touches = [
      ...[1, 2].map((session) => touch(session, "bash cat a.ts")),
      ...[1, 2].map((session) => touch(session, `read ${"x".repeat(90)}…`)),
      ...[1, 2].map((session) => touch(session, "write with space.ts")),
      ...[1, 2].map((session) => touch(session, "patch b.ts")),
    ];
    expect(paths(touches)).toEqual(["b.ts", "with space.ts"]);
    expect(paths(touches.toReversed())).toEqual(paths(touches));
  });

  test("a session adds four at most, an edit counts for two reads, and a month halves", () => {
    const scores = (...touches: readonly FileTouch[]) =>
      rankFiles(touches).map(({ score }) => score);
    expect(scores(touch(1, "read a.ts", 4), touch(2, "read a.ts"))).toEqual([5]);
    expect(scores(touch(1, "read a.ts", 5), touch(2, "read a.ts"))).toEqual([5]);
    expect(scores(touch(1, "edit a.ts", 1), touch(2, "read a.ts"))).toEqual([3]);
    // Of one session, its reads and its edits together.
    const mixed = [touch(1, "read a.ts", 1), touch(1, "edit a.ts", 1), touch(2, "read a.ts")];
    expect(scores(...mixed)).toEqual([4]);
    const old = [1, 2].map((session) => touch(session, "read old.ts", 1, 70 * DAY));
    const fresh = [touch(1, "read new.ts", 1, 70 * DAY), touch(2, "read new.ts")];
    expect(scores(...old, ...fresh)).toEqual([2, 1]);
    expect(rankFiles(mixed)).toMatchObject([{ sessions: 2, reads: 2, edits: 1 }]);
  });

  test("the order of two files does not change as time passes", () => {
    const at = (shiftMs: number) => [
      ...[1, 2].map((session) => touch(session, "edit a.ts", 1, 10 * DAY + shiftMs)),
      ...[1, 2].map((session) => touch(session, "read b.ts", 1, 35 * DAY + shiftMs)),
    ];
    expect(paths(at(0))).toEqual(paths(at(300 * DAY)));
  });
});
