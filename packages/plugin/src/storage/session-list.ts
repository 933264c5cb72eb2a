// Lists all sessions with their costs, and those that a process has open.
import type { Driver, SqlRow } from "./driver.ts";
import {
  type BillOverview,
  readSparedBySession,
  type SparedCalls,
  toSparedCalls,
} from "./overview-records.ts";
import type { SessionId, TurnUsage } from "./records.ts";
import { OWN_BUST_CAUSE, readUsage } from "./turn-figures.ts";

// Finds the sessions that a process has open.

/**
 * Limits how long an expired lease counts. A process that was held up (a sleeping laptop) has not renewed its
 * lease for a while and still has its session open; after this time its process number may belong to another
 * process.
 */
const MAX_LEASE_OVERRUN_MS = 24 * 60 * 60_000;

/** Returns the sessions that a process drives or has open, by owner. */
export function readLiveLeases(
  driver: Driver,
  nowMs: number,
  isGone: (owner: string) => boolean,
): ReadonlyMap<SessionId, string> {
  const rows = driver.all(
    "SELECT session_id, owner FROM session_lease WHERE expires_at_ms > ?",
    nowMs - MAX_LEASE_OVERRUN_MS,
  );
  return new Map(
    rows
      .map(({ session_id, owner }) => [String(session_id) as SessionId, String(owner)] as const)
      .filter(([, owner]) => !isGone(owner)),
  );
}

/** Describes a session in a list: its cost, and its last activity and place. */
export interface SessionListing {
  readonly sessionId: SessionId;
  /** The host that the session runs in; null means OpenCode. */
  readonly harness: string | null;
  readonly createdAtMs: number;
  /** The time of the newest call or prompt, or of the session's creation if there was none. */
  readonly activeAtMs: number;
  /** The directory of the newest epoch, or else of the newest prompt; null if there is neither. */
  readonly directory: string | null;
  readonly epochs: number;
  readonly calls: number;
  readonly busts: number;
  /** Usage over all calls that the provider has reported on. */
  readonly usage: TurnUsage;
  readonly bill: BillOverview;
  /** Counts the prompts that wait in the queue. */
  readonly waiting: number;
}

/** Lists sessions, most recently active first. Reads without codecs, as the overview does. */
export function listSessions(driver: Driver): readonly SessionListing[] {
  const spared = readSparedBySession(driver);
  return driver
    .all(SELECT_SESSIONS)
    .map((row) => toSessionListing(row, spared))
    .sort((left, right) => right.activeAtMs - left.activeAtMs);
}

/** Falls back to the prompt's directory for a session whose first call broke off before it froze anything. */
const DIRECTORY_SQL = `coalesce(
  (SELECT directory FROM epoch WHERE epoch.session_id = session.id ORDER BY seq DESC LIMIT 1),
  (SELECT directory FROM session_input AS input WHERE input.session_id = session.id
    ORDER BY admitted_at_ms DESC LIMIT 1))`;

const SELECT_SESSIONS = `
  WITH spent AS (
    SELECT session_id, count(*) AS calls, count(bust) FILTER (WHERE bust NOT LIKE '${OWN_BUST_CAUSE}%') AS busts, max(sent_at_ms) AS sent_at_ms,
      sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
      sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens,
      count(paid_nanos) AS priced, sum(paid_nanos) AS paid_nanos,
      sum(saved_nanos) AS saved_nanos
    FROM turn GROUP BY session_id
  ), admitted AS (
    SELECT session_id, count(*) FILTER (WHERE state = 'waiting') AS waiting,
      max(admitted_at_ms) AS admitted_at_ms
    FROM session_input GROUP BY session_id
  )
  SELECT session.id AS session_id, session.created_at_ms, session.harness, spent.calls, spent.busts,
    spent.sent_at_ms, spent.input_tokens, spent.output_tokens, spent.cache_read_tokens,
    spent.cache_write_tokens, spent.priced, spent.paid_nanos, spent.saved_nanos,
    admitted.waiting, admitted.admitted_at_ms,
    ${DIRECTORY_SQL} AS directory,
    (SELECT count(*) FROM epoch WHERE epoch.session_id = session.id) AS epochs
  FROM session
  LEFT JOIN spent ON spent.session_id = session.id
  LEFT JOIN admitted ON admitted.session_id = session.id`;

/** Reads a row; NULL means that the session has nothing of the kind, and counts as 0. */
function toSessionListing(
  row: SqlRow,
  spared: ReadonlyMap<SessionId, SparedCalls>,
): SessionListing {
  const sessionId = String(row.session_id) as SessionId;
  const createdAtMs = Number(row.created_at_ms);
  return {
    sessionId,
    harness: readTextOrNull(row.harness),
    createdAtMs,
    activeAtMs: Math.max(createdAtMs, Number(row.sent_at_ms), Number(row.admitted_at_ms)),
    directory: readTextOrNull(row.directory),
    epochs: Number(row.epochs),
    calls: Number(row.calls),
    busts: Number(row.busts),
    usage: readUsage(row),
    bill: {
      priced: Number(row.priced),
      paidNanos: Number(row.paid_nanos),
      savedNanos: Number(row.saved_nanos),
      spared: spared.get(sessionId) ?? toSparedCalls(null),
    },
    waiting: Number(row.waiting),
  };
}

/** Names where and when a session was last active. */
export type SessionPlace = Pick<
  SessionListing,
  "sessionId" | "harness" | "activeAtMs" | "directory"
>;

/** Lists sessions by their newest call, most recent first, and reads one row of each. */
export function listSessionPlaces(driver: Driver): readonly SessionPlace[] {
  return driver
    .all(SELECT_PLACES)
    .map(({ id, harness, active_at_ms, directory }) => ({
      sessionId: String(id) as SessionId,
      harness: readTextOrNull(harness),
      activeAtMs: Number(active_at_ms),
      directory: readTextOrNull(directory),
    }))
    .sort((left, right) => right.activeAtMs - left.activeAtMs);
}

const SELECT_PLACES = `
  SELECT id, harness,
    coalesce((SELECT sent_at_ms FROM turn WHERE session_id = session.id ORDER BY seq DESC LIMIT 1),
      created_at_ms) AS active_at_ms,
    ${DIRECTORY_SQL} AS directory
  FROM session`;

function readTextOrNull(value: SqlRow[string] | undefined): string | null {
  return (value ?? null) === null ? null : String(value);
}
