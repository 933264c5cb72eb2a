import { expect, test } from "bun:test";
import { toColdPauseMs } from "../../src/session/call-deps.ts";

test("a pause is cold once it outlasts the provider's cache", () => {
  expect(toColdPauseMs({ cacheTtlMs: 300_000 }, 300_000)).toBeNull();
  expect(toColdPauseMs({ cacheTtlMs: 300_000 }, 300_001)).toBe(300_001);
});
