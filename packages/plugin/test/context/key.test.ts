import { expect, test } from "bun:test";
import fc from "fast-check";
import { compareKeys } from "../../src/context/key.ts";

test("keys are compared by code units, whatever the locale says", () => {
  expect(["b", "é", "B", "a-", "a", "\uff5e", "😀"].sort(compareKeys)).toEqual([
    "B",
    "a",
    "a-",
    "b",
    "é",
    "😀",
    "\uff5e",
  ]);
  expect(compareKeys("core/date", "core/date")).toBe(0);
});

test("the comparison is a total order", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, right) => {
      expect(compareKeys(left, right) + compareKeys(right, left)).toBe(0);
      expect(compareKeys(left, right) === 0).toBe(left === right);
    }),
  );
});
