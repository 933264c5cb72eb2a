// What the status says of a team's store, and what the command line does.
import type { ReadSection } from "../../status/section.ts";
import { ago, count, counted } from "../../status/wording.ts";
import type { Driver } from "../../storage/driver.ts";
import { localCopy } from "./local-copy.ts";

interface SyncState {
  /** Changes of this machine's that the server has not been given yet. */
  readonly waiting: number;
  readonly reachedAtMs: number | null;
  /** Null: the last attempt reached it. */
  readonly awaySinceMs: number | null;
  readonly problem: string | null;
}

/** What waits on this machine, and since when the server has been missed. */
export interface Outbox {
  readonly waiting: number;
  /** Since the first of the attempts that failed one after the other. */
  readonly missedForMs: number;
  /** Of the last attempt, without secrets; null: it reached the server. */
  readonly problem: string | null;
}

export function readOutbox(driver: Driver, nowMs: number): Outbox {
  const copy = localCopy(driver);
  const { awaySinceMs, problem } = copy.link();
  const missedForMs = awaySinceMs === null ? 0 : nowMs - awaySinceMs;
  return { waiting: copy.waiting(), missedForMs, problem: awaySinceMs === null ? null : problem };
}

export const teamSection: ReadSection = (driver) => (_, nowMs) => {
  const copy = localCopy(driver);
  const { server, awaySinceMs, reachedAtMs, problem } = copy.link();
  if ((server === null && awaySinceMs === null) || copy.projects().length === 0) return null;
  const standing = { waiting: copy.waiting(), reachedAtMs, awaySinceMs, problem };
  return {
    label: "Team store",
    text: standingText(standing, nowMs),
    short: shortText(standing, nowMs),
  };
};

/** In sentences. */
export function standingText(standing: SyncState, nowMs: number): string {
  const { waiting, reachedAtMs, awaySinceMs, problem } = standing;
  const held = waiting === 0 ? "nothing to send" : `${changes(waiting)} here`;
  if (awaySinceMs !== null) {
    return `Offline since ${ago(awaySinceMs, nowMs)}: ${problem ?? "no answer"}. Sessions continue with this machine's copy; ${held}.`;
  }
  if (reachedAtMs === null) return `Not reached yet; ${held}.`;
  const reached = `reached ${ago(reachedAtMs, nowMs)}`;
  const leftOut = problem === null ? "" : ` ${problem}.`;
  return `${waiting === 0 ? "In step" : changes(waiting)}, ${reached}.${leftOut}`;
}

function shortText({ waiting, awaySinceMs }: SyncState, nowMs: number): string {
  if (awaySinceMs === null) return waiting === 0 ? "in step" : `${count(waiting)} waiting`;
  const since = `offline since ${ago(awaySinceMs, nowMs)}`;
  return waiting === 0 ? since : `${since}, ${count(waiting)} waiting`;
}

function changes(waiting: number): string {
  return `${counted(waiting, "change")} ${waiting === 1 ? "waits" : "wait"}`;
}
