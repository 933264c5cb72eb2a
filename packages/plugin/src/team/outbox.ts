// What waits on this machine for the team's server, and since when it has been missed.
import type { Driver } from "../storage/driver.ts";
import { localCopy } from "./local-copy.ts";

export interface Outbox {
  readonly waiting: number;
  /** Since the first of the attempts that failed one after the other. */
  readonly missedForMs: number;
  /** Of the last attempt, without secrets; null: it reached the server. */
  readonly problem: string | null;
}

export function outboxOf(driver: Driver, nowMs: number): Outbox {
  const copy = localCopy(driver);
  const { awaySinceMs, problem } = copy.link();
  const missedForMs = awaySinceMs === null ? 0 : nowMs - awaySinceMs;
  return { waiting: copy.waiting(), missedForMs, problem: awaySinceMs === null ? null : problem };
}
