// The time of a scenario, for the provider and the plugin alike.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The time of a scenario, whatever the machine's speed. */
export interface ScenarioClock {
  /** Variables by which the plugin's clock follows. */
  readonly env: Readonly<Record<string, string>>;
  /** The provider's, in milliseconds. */
  now(): number;
  /** What every step takes. */
  step(): void;
  /** Idleness: the plugin's clock is moved along, so that it too sees its cache grow cold. */
  pass(minutes: number): void;
  remove(): void;
}

const STEP_MS = 20_000;

const MINUTE_MS = 60_000;

export function makeScenarioClock(): ScenarioClock {
  const file = join(mkdtempSync(join(tmpdir(), "session-runtime-e2e-clock-")), "offset");
  let now = 0;
  let idleMs = 0;
  const noteIdle = () => writeFileSync(file, String(idleMs));
  noteIdle();
  return {
    env: { SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: file },
    now: () => now,
    step() {
      now += STEP_MS;
    },
    pass(minutes) {
      now += minutes * MINUTE_MS;
      idleMs += minutes * MINUTE_MS;
      noteIdle();
    },
    remove: () => rmSync(dirname(file), { recursive: true, force: true }),
  };
}
