// Gathers what the stores hold about a session; a closed database is a finding.
import type { SessionId } from "../storage/records.ts";
import { type RuntimeDatabase, StorageError } from "../storage/store.ts";
import type { StoredState } from "./model.ts";

/** What status is read from; any open database has it. */
export type StatusDeps = Pick<RuntimeDatabase, "overview" | "health">;

/** More than any surface shows call by call. */
const SHOWN_CALLS = 200;

/** What the stores say of a session. A database that can't be asked is a finding, not a failure. */
export function gatherStored(database: () => StatusDeps, sessionId: SessionId): StoredState {
  try {
    const { overview, health } = database();
    return { kind: "read", overview: overview.of(sessionId, SHOWN_CALLS), health: health() };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { kind: "unreadable", code: error.code, message: error.message };
  }
}
