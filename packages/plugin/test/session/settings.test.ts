import { expect, test } from "bun:test";
import { coldPauseMs } from "../../src/session/call-deps.ts";

test("a pause is cold once it outlasts the provider's cache", () => {
  expect(coldPauseMs({ cacheTtlMs: 300_000 }, 300_000)).toBeNull();
  expect(coldPauseMs({ cacheTtlMs: 300_000 }, 300_001)).toBe(300_001);
});
