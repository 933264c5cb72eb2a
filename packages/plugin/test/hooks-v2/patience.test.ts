// The tests of this folder give the edge's limits more time: this holds them against the sources.
import { expect, spyOn, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { HOST_WAITS_MS, hangs, ownFolder } from "./stage.ts";

const source = resolve(import.meta.dir, "../../src");

test("every limit that the edge has for the host is one that the stage gives more time", () => {
  const edge = readdirSync(join(source, "hooks-v2")).map((name) => join("hooks-v2", name));
  const limits = [...edge, "runtime/opening-guard.ts"].flatMap((path) =>
    [...readFileSync(join(source, path), "utf8").matchAll(/^const \w+_MS = ([\d_]+);/gm)].map(
      ([, value = ""]) => Number(value.replaceAll("_", "")),
    ),
  );
  expect([...new Set(limits)].sort((one, other) => one - other)).toEqual([...HOST_WAITS_MS]);
});

test("they are given it until the test ends, and other timers are left alone", () => {
  const waits: unknown[] = [];
  const timers = spyOn(globalThis, "setTimeout");
  timers.mockImplementation(((_: unknown, waitMs: unknown) => waits.push(waitMs)) as never);
  try {
    const folder = ownFolder();
    for (const waitMs of [500, 5_000, 30]) setTimeout(() => undefined, waitMs);
    // A call that never comes is waited for by nobody.
    hangs();
    for (const waitMs of [30, 2_000, 2_000]) setTimeout(() => undefined, waitMs);
    folder.remove();
    setTimeout(() => undefined, 500);
    expect(waits).toEqual([30_000, 300_000, 30, 30, 0, 120_000, 500]);
  } finally {
    timers.mockRestore();
  }
});
