// Reads a session's rewrites together with the calls and epochs that determine their effect.
import type { ActiveLedger } from "../../status/active-ledger.ts";
import type { Driver, SqlRow } from "../../storage/driver.ts";
import type { EpochCause, SessionId } from "../../storage/records.ts";
import { TURN_FIGURES, toTurnFigures } from "../../storage/turn-figures.ts";
import { type EpochStart, type HistoryStatus, readRewrites } from "./rewrite-status.ts";
import { rewriteStore } from "./rewrite-store.ts";

/** Returns null if nothing of the session was rewritten. */
export function historyReader(driver: Driver) {
  const store = rewriteStore(driver);
  return (sessionId: SessionId, shown: ActiveLedger | null): HistoryStatus | null => {
    const rewrites = store.of(sessionId);
    const [first] = rewrites;
    if (first === undefined) return null;
    const calls = driver.all(SELECT_CALLS, sessionId, first.atMs).map(toTurnFigures);
    const epochs = driver.all(SELECT_EPOCHS, sessionId).map(toEpochBegun);
    return readRewrites({ rewrites, calls, epochs, shown });
  };
}

const SELECT_CALLS = `
  SELECT ${TURN_FIGURES} FROM turn WHERE session_id = ? AND sent_at_ms >= ? ORDER BY seq`;

const SELECT_EPOCHS = `
  SELECT seq, cause, started_at_ms FROM epoch WHERE session_id = ? ORDER BY seq`;

function toEpochBegun(row: SqlRow): EpochStart {
  return {
    seq: Number(row.seq),
    cause: String(row.cause) as EpochCause,
    startedAtMs: Number(row.started_at_ms),
  };
}
