// The clock of an instance: the machine's, but where a test moves it.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClock } from "../../src/runtime/services.ts";

test("stands as far from the machine's as the file says, in tests alone", () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-clock-"));
  try {
    const file = join(folder, "offset");
    const moved = createClock({ SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: file });
    for (const offsetMs of [86_400_000, -3_600_000]) {
      writeFileSync(file, String(offsetMs));
      const off = moved() - Date.now();
      expect(Math.abs(off - offsetMs)).toBeLessThan(10_000);
    }
    for (const test of ["0", undefined]) {
      const here = createClock({ SESSION_RUNTIME_TEST: test, SESSION_RUNTIME_TEST_CLOCK: file });
      expect(Math.abs(here() - Date.now())).toBeLessThan(10_000);
    }
    expect(Math.abs(createClock({ SESSION_RUNTIME_TEST: "1" })() - Date.now())).toBeLessThan(
      10_000,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
