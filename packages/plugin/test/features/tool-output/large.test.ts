import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface MeasuredRun {
  readonly ms: number;
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

const MAX_MS = 400;
/** Of so many runs the fastest counts: a busy machine is slow for a while. */
const MAX_RUNS = 5;

function fastest(kind: string): MeasuredRun {
  let least = measure(kind);
  for (let run = 1; run < MAX_RUNS && least.ms >= MAX_MS; run += 1) {
    const again = measure(kind);
    if (again.ms < least.ms) least = again;
  }
  return least;
}

describe("a result of 50 MB", () => {
  for (const kind of ["lines", "one line", "wide characters", "newlines", "ten parts"]) {
    test(`of ${kind} is bounded in under 400 ms and 200 MB`, () => {
      const { ms, peakMb, fileBytes, previewBytes } = fastest(kind);
      expect(ms).toBeLessThan(MAX_MS);
      expect(peakMb).toBeLessThan(200);
      expect(fileBytes).toBeGreaterThan(52_000_000);
      expect(previewBytes).toBeLessThanOrEqual(51_200);
    });
  }
});
