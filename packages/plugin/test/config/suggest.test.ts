import { expect, test } from "bun:test";
import { closestKey } from "../../src/config/suggest.ts";

const known = ["enabled", "cache.ttlMs", "cache.split", "log.level"];

test("a swap of neighbours is one edit", () => {
  expect(closestKey("cache.spilt", known)).toBe("cache.split");
});

test("the name alone is enough", () => {
  expect(closestKey("TTLMS", known)).toBe("cache.ttlMs");
});

test("what is near to nothing has no suggestion", () => {
  expect(closestKey("compaction", known)).toBeNull();
  expect(closestKey("x".repeat(100_000), known)).toBeNull();
  expect(closestKey("", known)).toBeNull();
});
