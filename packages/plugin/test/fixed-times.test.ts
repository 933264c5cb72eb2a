import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fixedTimesIn } from "./fixed-times.ts";
import { ROOT } from "./words.ts";

/** What to do instead. */
const ADVICE =
  "A machine may be slow and shared: count the work instead, compare the time with another of the same run (`timesAsLong` in packages/plugin/test/processor-time.ts), or expect the outcome and the order of events.";

test("no test judges by a fixed time", () => {
  const files = [...new Bun.Glob("packages/*/test/**/*.{ts,tsx}").scanSync(ROOT)].toSorted();
  expect(files.length).toBeGreaterThan(600);
  const found = files.flatMap((path) =>
    fixedTimesIn(readFileSync(join(ROOT, path), "utf8")).map(
      ({ line, text }) => `${path}:${line}: ${text} (${ADVICE})`,
    ),
  );
  expect(found).toEqual([]);
});

test.each([
  "expect(tookMs).toBeLessThan(2_000);",
  "expect(tookMs).toBeLessThanOrEqual(MAX_MS);",
  "expect(tookMs).toBeLessThan(LIMITS.ms);",
  "expect(tookMs).toBeLessThan(TARGET_MS * 4);",
  "expect(tookMs).toBeWithin(0, 2_000);",
  "expect(result.durationMs, 'slow').toBeLessThan(5e3);",
  "expect(ms).toBeLessThan(400);",
  "expect(took).toBeLessThan(30);",
  "expect(performance.now() - began).toBeLessThan(20_000);",
  "expect(Math.abs(Date.now() - done)).toBeLessThan(10_000);",
  "expect(processorNowMs() - began).toBeLessThan(1_000);",
  "expect((at[1] ?? 0) - (at[0] ?? 0)).toBeLessThan(PATIENCE_MS);",
  "expect(await time(() => move())).toBeLessThan(500);",
  "expect(await fastestMs(() => build(), 9)).toBeLessThan(30);",
  "expect(\n  last.endedAtMs - first.startedAtMs,\n).toBeLessThan(\n  100,\n);",
  "const limit = 5 * 1_000;\nexpect(tookMs).toBeLessThan(limit);",
  "expect([name, processorNowMs() - began < 1_000]).toEqual([name, true]);",
  "expect(measured).toSatisfy(({ ms }) => MAX_MS > ms);",
])("%s is found", (text) => {
  expect(fixedTimesIn(text)).toHaveLength(1);
});

test.each([
  "expect(tookMs).toBeLessThan(3 * otherMs);",
  "expect(tookMs).toBeLessThan(otherMs * MOST_TIMES);",
  "expect(await timesAsLong(large, small)).toBeLessThan(MOST_FOR_FOURFOLD);",
  "expect(nowMs).toBeWithin(beforeMs, Date.now() + 1);",
  "expect(waitedMs).toBeGreaterThan(100);",
  "expect(SHORT_MS).toBeLessThan(LONG_MS);",
  'expect(text.indexOf("tookMs")).toBeLessThan(40);',
  "expect(items.length).toBeLessThan(2_000);",
  "while (Date.now() < 5_000) await look();",
  "// expect(tookMs).toBeLessThan(2_000);",
])("%s is none", (text) => {
  expect(fixedTimesIn(text)).toEqual([]);
});
