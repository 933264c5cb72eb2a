// Counts steps and compares times: what hostile patterns may cost.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../src/context/source.ts";
import { NamePattern, StepCounter, tooComplexReason } from "../../src/sources/glob-pattern.ts";
import { defaultWalkBounds, globFiles } from "../../src/sources/glob-walk.ts";
import { MOST_FOR_FOURFOLD, timesAsLong } from "../processor-time.ts";
import { scratchFolders } from "./scratch-folder.ts";

const scratchFolder = scratchFolders();

function walked(pattern: string, cwd: string, steps: number, now = () => performance.now()) {
  return globFiles(pattern, {
    ...{ cwd, dots: "unmatched", now, confinement: null },
    bounds: { ...defaultWalkBounds, steps },
  });
}

test("hostile patterns are matched in linear time: many stars, nested and empty groups, long names", async () => {
  const name = "a".repeat(250);
  for (const pattern of [
    `${"*a".repeat(10)}b`,
    `${"*".repeat(200)}b`,
    `${"*?".repeat(100)}b`,
    `${"+(".repeat(60)}a${")".repeat(60)}b`,
    `${"*(a|aa|*)".repeat(40)}b`,
    `${"!(*b)".repeat(60)}b`,
    `${"?(a)".repeat(127)}b`,
    "[".repeat(512),
    "@(".repeat(256),
    `${"*()".repeat(170)}b`,
  ]) {
    const work = new StepCounter();
    expect(new NamePattern(pattern, work).test(name)).toBe(false);
    const times = await timesAsLong(
      () => new NamePattern(pattern).test(name.repeat(4)),
      () => new NamePattern(pattern).test(name),
    );
    expect({ pattern, ...work, times }).toSatisfy(
      (cost) =>
        cost.times < MOST_FOR_FOURFOLD && cost.steps < 2 * pattern.length * (name.length + 1),
    );
  }
});

test("patterns that stand for too many are given up: none is expanded, and no folder is listed", async () => {
  const noFolder = join(scratchFolder(), "gone");
  const before = process.memoryUsage().rss;
  for (const pattern of ["{1..9999}{1..9999}{1..9999}", "{a,b}".repeat(800), "{".repeat(4096)]) {
    expect(await walked(pattern, noFolder, 0)).toEqual(new Unavailable(tooComplexReason));
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

test("a walk gives the event loop a turn between any two names, however hard they are to match, and ends at its steps", async () => {
  const folder = scratchFolder();
  for (let index = 0; index < 300; index += 1) {
    writeFileSync(join(folder, `${"a".repeat(240)}${100 + index}`), "");
  }
  const pattern = `${"*a".repeat(60)}b`;
  const oneName = new StepCounter();
  new NamePattern(pattern, oneName).test("a".repeat(243));
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  // Each name takes so long that the loop is due.
  let nowMs = 0;
  const slow = () => {
    nowMs += 1_000;
    return nowMs;
  };
  const steps = 5_000_000;
  expect(await walked(pattern, folder, steps, slow)).toEqual(
    new Unavailable(`its pattern takes more than ${steps} steps to match`),
  );
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(Math.floor(steps / oneName.steps));
});
