// Builds a command's report of a session, from its parts.
import type { RuntimeDatabase } from "../storage/store.ts";
import { gatherStored } from "./gather.ts";
import { type LiveState, readStatus, type SessionStatus, type StatusInput } from "./model.ts";
import { renderStatus, summarizeStatus } from "./render.ts";
import type { ReadSection } from "./section.ts";

/** The values that a command's report is made from. */
export interface ReportDeps extends LiveState, Omit<StatusInput, "stored"> {
  readonly database: () => RuntimeDatabase;
  /** Reads the sections that features add for a session. */
  readonly sections: readonly ReadSection[];
}

export interface CommandReport {
  /** The report for a terminal of 80 columns. */
  readonly text: string;
  /** The report in a sentence or two. */
  readonly summary: string;
}

export function loadStatus(deps: ReportDeps): SessionStatus {
  return readStatus({ ...deps, stored: gatherStored(deps.database, deps, deps.sections) }, deps);
}

/** Builds the report of /ctx-status. */
export function buildStatusReport(deps: ReportDeps): CommandReport {
  const status = loadStatus(deps);
  return { text: renderStatus(status), summary: summarizeStatus(status) };
}
