// Reads what a call was made of.
// Folder: Shows what a model call was made of.
import { numberEpochs, readCall } from "@session-runtime/opencode/status/cache";
import { createDatabase } from "@session-runtime/opencode/storage/database";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import type { TurnRecord } from "@session-runtime/opencode/storage/turn-store";
import { CliError, EXIT } from "../cli-error.ts";
import type { StoredMessage } from "../host-history/messages.ts";
import { buildCallWire, type CallWire, findPreviousCall } from "./call-wire.ts";

/** Exceeds the calls of any session. */
const ALL = 1_000_000;

interface WireRequest {
  readonly sessionId: SessionId;
  /** The call's number, from 1; null for the newest. */
  readonly number: number | null;
  readonly rows: ReadonlyMap<string, StoredMessage> | null;
}

/** Reads what a call was made of. @throws CliError where there is no such call */
export function readWire(driver: Driver, path: string, request: WireRequest): CallWire {
  const { sessionId, number, rows } = request;
  const { ledger, turns, forms } = createDatabase(driver, path);
  const { all, stored } = driver.read(() => ({
    all: turns.recent(sessionId, ALL).toReversed(),
    stored: ledger.load(sessionId),
  }));
  const turn = number === null ? all.at(-1) : all.find(({ seq }) => seq === number);
  if (turn === undefined) throw noSuchCall(sessionId, number, all.length);
  const numbers = numberEpochs(stored.epochs);
  const upTo = all.filter(({ seq }) => seq <= turn.seq);
  return buildCallWire(turn, {
    ledger: stored,
    turns: upTo,
    callCount: all.length,
    call: readCall({ ...turn, readableTokens: countReadableTokens(upTo) }, numbers),
    forms: forms.of(turn),
    rows,
  });
}

/** Counts the tokens that the former call of the same model left in the cache; null where it reported none. */
function countReadableTokens(turns: readonly TurnRecord[]): number | null {
  const usage = findPreviousCall(turns)?.usage ?? null;
  return usage && usage.cacheReadTokens + usage.cacheWriteTokens;
}

function noSuchCall(sessionId: SessionId, number: number | null, count: number): CliError {
  if (count === 0) {
    return new CliError(
      "no-calls",
      `The session ${sessionId} has made no call yet.`,
      "A call is recorded once it is sent with the plugin on.",
      EXIT.missing,
    );
  }
  return new CliError(
    "call-missing",
    `The session ${sessionId} has no call ${number}.`,
    `It has made ${count}: --call takes 1 to ${count}.`,
    EXIT.missing,
  );
}
