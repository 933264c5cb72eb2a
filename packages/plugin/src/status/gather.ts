// Gathers what the stores hold about a session; a closed database is a finding.
import { StorageError } from "../storage/errors.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import type { ActiveLedger } from "./active-ledger.ts";
import type { StatusInput, StoredState } from "./model.ts";
import type { ReadSection } from "./section.ts";

/** The parts of a database that status reads; any open database has them. */
export type StatusDeps = Pick<RuntimeDatabase, "overview" | "health" | "store">;

/** The limit is more than any surface shows call by call. */
const MAX_SHOWN_CALLS = 200;

/** Reads what the stores hold of a session. A database that can't be read is a finding, not a failure. */
export function gatherStored(
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
