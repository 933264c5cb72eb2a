import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MOST_FOR_FOURFOLD } from "../../processor-time.ts";

interface MeasuredRun {
  /** How many times as long it took as a quarter of it. */
  readonly timesOfQuarter: number;
  /** Of the process's peak, above what it had with the result in memory. */
  readonly peakMb: number;
  readonly fileBytes: number;
  readonly previewBytes: number;
}

/** In a process of its own, since a peak of memory is the process's. */
function measure(kind: string): MeasuredRun {
  const folder = mkdtempSync(join(tmpdir(), "large-output-"));
  const script = join(import.meta.dir, "measure-large.ts");
  const child = Bun.spawnSync([process.execPath, script, kind, folder], {
    env: { ...process.env, BUN_BE_BUN: "1" },
  });
  rmSync(folder, { recursive: true });
  if (!child.success) throw new Error(child.stderr.toString());
  return JSON.parse(child.stdout.toString());
}

describe("a result of 50 MB", () => {
  for (const kind of ["lines", "one line", "wide characters", "newlines", "ten parts"]) {
    test(`of ${kind} is bounded in linear time and 200 MB`, () => {
      const { timesOfQuarter, peakMb, fileBytes, previewBytes } = measure(kind);
      expect(timesOfQuarter).toBeLessThan(MOST_FOR_FOURFOLD);
      expect(peakMb).toBeLessThan(200);
      expect(fileBytes).toBeGreaterThan(52_000_000);
      expect(previewBytes).toBeLessThanOrEqual(51_200);
    });
  }
});
