// Measures time and memory: by the clock, what hostile patterns may cost.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../src/context/source.ts";
import { NamePattern, tooComplexReason } from "../../src/sources/glob-pattern.ts";
import { defaultWalkBounds, globFiles } from "../../src/sources/glob-walk.ts";
import { processorNowMs } from "../processor-time.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

function walked(pattern: string, cwd: string, steps: number) {
  return globFiles(pattern, {
    ...{ cwd, dots: "unmatched", now: () => performance.now(), confinement: null },
    bounds: { ...defaultWalkBounds, steps },
  });
}

test("hostile patterns take no time: many stars, nested and empty groups, long names", () => {
  const hostile: readonly [string, string][] = [
    [`${"*a".repeat(10)}b`, "a".repeat(250)],
    [`${"*".repeat(200)}b`, "a".repeat(250)],
    [`${"*?".repeat(100)}b`, "a".repeat(250)],
    [`${"+(".repeat(60)}a${")".repeat(60)}b`, "a".repeat(250)],
    [`${"*(a|aa|*)".repeat(40)}b`, "a".repeat(250)],
    [`${"!(*b)".repeat(60)}b`, "a".repeat(250)],
    [`${"?(a)".repeat(127)}b`, "a".repeat(250)],
    ["[".repeat(512), "a".repeat(250)],
    ["@(".repeat(256), "a".repeat(250)],
    [`${"*()".repeat(170)}b`, "a".repeat(250)],
  ];
  for (const [pattern, name] of hostile) {
    const startedAt = processorNowMs();
    expect(new NamePattern(pattern).test(name)).toBe(false);
    expect([pattern.slice(0, 12), processorNowMs() - startedAt < 1000]).toEqual([
      pattern.slice(0, 12),
      true,
    ]);
  }
});

test("patterns that stand for too many are given up at once", async () => {
  const folder = scratchFolder();
  const startedAt = processorNowMs();
  const before = process.memoryUsage().rss;
  for (const pattern of ["{1..9999}{1..9999}{1..9999}", "{a,b}".repeat(800), "{".repeat(4096)]) {
    expect(await walked(pattern, folder, 1_000_000)).toEqual(new Unavailable(tooComplexReason));
  }
  expect(processorNowMs() - startedAt).toBeLessThan(2000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

test("a walk gives the event loop its turns, however hard its names are to match", async () => {
  const folder = scratchFolder();
  for (let index = 0; index < 300; index += 1) {
    writeFileSync(join(folder, `${"a".repeat(240)}${index}`), "");
  }
  let longestMs = 0;
  let last = processorNowMs();
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, processorNowMs() - last);
    last = processorNowMs();
  }, 1);
  const pattern = `${"*a".repeat(60)}b`;
  const startedAt = processorNowMs();
  expect(await walked(pattern, folder, 5_000_000)).toBeInstanceOf(Unavailable);
  const tookMs = processorNowMs() - startedAt;
  clearInterval(timer);
  expect(tookMs).toBeLessThan(1500);
  expect(longestMs).toBeLessThan(250);
});
