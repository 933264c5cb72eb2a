import { expect, test } from "bun:test";
import { findClosestKey } from "../../src/config/suggest.ts";

const known = ["enabled", "cache.ttlMs", "cache.split", "log.level"];

test("a swap of neighbours is one edit", () => {
  expect(findClosestKey("cache.spilt", known)).toBe("cache.split");
});

test("the name alone is enough", () => {
  expect(findClosestKey("TTLMS", known)).toBe("cache.ttlMs");
});

test("what is near to nothing has no suggestion", () => {
  expect(findClosestKey("compaction", known)).toBeNull();
  expect(findClosestKey("x".repeat(100_000), known)).toBeNull();
  expect(findClosestKey("", known)).toBeNull();
});
