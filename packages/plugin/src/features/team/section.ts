// Reports a team's store in the status and on the command line.
import type { ReadSection } from "../../status/section.ts";
import { formatAgo, formatCount, renderCount } from "../../status/wording.ts";
import type { Driver } from "../../storage/driver.ts";
import { createLocalCopy } from "./local-copy.ts";

interface SyncState {
  /** The number of this machine's changes that the server has not received yet. */
  readonly waiting: number;
  readonly reachedAtMs: number | null;
  /** The time of the first failed attempt; null if the last attempt reached the server. */
  readonly awaySinceMs: number | null;
  readonly problem: string | null;
}

/** Holds the number of changes that wait on this machine, and how long the server has been out of reach. */
export interface OutboxState {
  readonly waiting: number;
  /** The time since the first attempt of the present series of failures. */
  readonly missedForMs: number;
  /** The problem of the last attempt, without secrets; null if it reached the server. */
  readonly problem: string | null;
}

export function readOutbox(driver: Driver, nowMs: number): OutboxState {
  const copy = createLocalCopy(driver);
  const { awaySinceMs, problem } = copy.link();
  const missedForMs = awaySinceMs === null ? 0 : nowMs - awaySinceMs;
  return { waiting: copy.waiting(), missedForMs, problem: awaySinceMs === null ? null : problem };
}

export const readTeamSection: ReadSection = (driver) => (_, nowMs) => {
  const copy = createLocalCopy(driver);
  const { server, awaySinceMs, reachedAtMs, problem } = copy.link();
  if ((server === null && awaySinceMs === null) || copy.projects().length === 0) return null;
  const standing = { waiting: copy.waiting(), reachedAtMs, awaySinceMs, problem };
  return {
    label: "Team store",
    text: renderSyncState(standing, nowMs),
    short: renderShortSyncState(standing, nowMs),
  };
};

/** Describes the state of the team's store in sentences. */
export function renderSyncState(standing: SyncState, nowMs: number): string {
  const { waiting, reachedAtMs, awaySinceMs, problem } = standing;
  const held = waiting === 0 ? "nothing to send" : `${renderWaitingChanges(waiting)} here`;
  if (awaySinceMs !== null) {
    return `Offline since ${formatAgo(awaySinceMs, nowMs)}: ${problem ?? "no answer"}. Sessions continue with this machine's copy; ${held}.`;
  }
  if (reachedAtMs === null) return `Not reached yet; ${held}.`;
  const reached = `reached ${formatAgo(reachedAtMs, nowMs)}`;
  const leftOut = problem === null ? "" : ` ${problem}.`;
  return `${waiting === 0 ? "In step" : renderWaitingChanges(waiting)}, ${reached}.${leftOut}`;
}

function renderShortSyncState({ waiting, awaySinceMs }: SyncState, nowMs: number): string {
  if (awaySinceMs === null) return waiting === 0 ? "in step" : `${formatCount(waiting)} waiting`;
  const since = `offline since ${formatAgo(awaySinceMs, nowMs)}`;
  return waiting === 0 ? since : `${since}, ${formatCount(waiting)} waiting`;
}

function renderWaitingChanges(waiting: number): string {
  return `${renderCount(waiting, "change")} ${waiting === 1 ? "waits" : "wait"}`;
}
