// Builds a command's report of a session from what the stores hold.
import type { RuntimeDatabase } from "../storage/database.ts";
import { StorageError } from "../storage/errors.ts";
import {
  type LiveState,
  readStatus,
  type SessionStatus,
  type StatusInput,
  type StoredState,
} from "./model.ts";
import { renderStatus, summarizeStatus } from "./render.ts";
import type { ActiveLedger, ReadSection } from "./section.ts";

// Gathers what the stores hold about a session; a closed database is a finding.

/** The parts of a database that status reads; any open database has them. */
export type StatusDeps = Pick<RuntimeDatabase, "overview" | "health" | "store">;

/** Limits the calls that are read in detail; no surface shows as many one by one. */
const MAX_SHOWN_CALLS = 200;

/** Reads what the stores hold of a session. A database that can't be read is a finding, not a failure. */
export function gatherStoredState(
  database: () => StatusDeps,
  asked: Pick<StatusInput, "sessionId" | "nowMs"> & { readonly shown: ActiveLedger | null },
  sections: readonly ReadSection[],
): StoredState {
  const { sessionId, nowMs, shown } = asked;
  try {
    const { overview, health, store } = database();
    const read = sections.flatMap((section) => store(section)(sessionId, nowMs, shown) ?? []);
    return {
      kind: "read",
      overview: overview.of(sessionId, MAX_SHOWN_CALLS),
      health: health(),
      sections: read,
    };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { kind: "unreadable", code: error.code, message: error.message };
  }
}

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
  return readStatus(
    { ...deps, stored: gatherStoredState(deps.database, deps, deps.sections) },
    deps,
  );
}

/** Builds the report of /ctx-status. */
export function buildStatusReport(deps: ReportDeps): CommandReport {
  const status = loadStatus(deps);
  return { text: renderStatus(status), summary: summarizeStatus(status) };
}
