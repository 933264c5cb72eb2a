import type { SessionId } from "../storage/records.ts";
import { type RuntimeDatabase, StorageError } from "../storage/store.ts";
import { gatherInbox } from "./inbox.ts";
import type { StoredState } from "./model.ts";

/** What the stores say of a session. A database that can't be asked is a finding, not a failure. */
export function gatherStored(database: () => RuntimeDatabase, sessionId: SessionId): StoredState {
  try {
    const { ledger, turns, briefs, inbox, health } = database();
    return {
      kind: "read",
      ledger: ledger.load(sessionId),
      turns: turns.figures(sessionId),
      brief: briefs.newest(sessionId),
      inbox: gatherInbox(inbox, sessionId),
      health: health(),
    };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { kind: "unreadable", code: error.code, message: error.message };
  }
}
