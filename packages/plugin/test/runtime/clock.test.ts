// The clock of an instance: the machine's, but where a test moves it.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClock } from "../../src/runtime/services.ts";

/** Between what the machine's clock shows before and after the look at it. */
function expectMachineTime(now: () => number): void {
  const beforeMs = Date.now();
  const nowMs = now();
  expect(nowMs).toBeWithin(beforeMs, Date.now() + 1);
}

test("stands as far from the machine's as the file says, in tests alone", () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-clock-"));
  try {
    const file = join(folder, "offset");
    const moved = createClock({ SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: file });
    for (const offsetMs of [86_400_000, -3_600_000]) {
      writeFileSync(file, String(offsetMs));
      expectMachineTime(() => moved() - offsetMs);
    }
    for (const test of ["0", undefined]) {
      const here = createClock({ SESSION_RUNTIME_TEST: test, SESSION_RUNTIME_TEST_CLOCK: file });
      expectMachineTime(here);
    }
    expectMachineTime(createClock({ SESSION_RUNTIME_TEST: "1" }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
