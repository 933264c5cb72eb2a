import { afterAll } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { OURS, PATIENT, useStage } from "./stage.ts";

const clock = join(mkdtempSync(join(tmpdir(), "session-runtime-e2e-clock-")), "offset");
setClock(0);

/** How far the plugin's clock is ahead; the host keeps the real one. */
export function setClock(aheadMs: number): void {
  writeFileSync(clock, String(aheadMs));
}

export const REVIEWER = {
  mode: "primary",
  description: "Reviews.",
  prompt: "You review what is there.",
} as const;

/** An agent that may use no skill. */
const UNSKILLED = { ...REVIEWER, permission: { skill: "deny" } };

/** Of two rules that meet a skill the later one counts. */
const TIDY_ALONE = { ...REVIEWER, permission: { skill: { "*": "deny", tidy: "allow" } } };
const ALL_BUT_TIDY = { ...REVIEWER, permission: { skill: { "*": "allow", tidy: "deny" } } };
const NONE_AFTER_ALL = { ...REVIEWER, permission: { skill: { tidy: "allow", "*": "deny" } } };

/** The host that most suites share: a start and a first turn cost more than ten turns. */
export const stage = useStage({
  plugin: [[OURS, { instructions: { urlRefreshMs: 1000, maxBytes: 65_536 }, ...PATIENT }]],
  env: { SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: clock },
  config: {
    agent: {
      reviewer: REVIEWER,
      unskilled: UNSKILLED,
      "tidy-alone": TIDY_ALONE,
      "all-but-tidy": ALL_BUT_TIDY,
      "none-after-all": NONE_AFTER_ALL,
    },
  },
});

afterAll(() => rmSync(dirname(clock), { recursive: true, force: true }));
