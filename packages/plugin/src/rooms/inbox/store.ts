// The store of prompts.

import type { StoredPrompt } from "../../features/prompt.ts";
import { json, longText } from "../../storage/codec.ts";
import { branded, integer, oneOf, orNull, text } from "../../storage/column.ts";
import type { Driver, SqlRow } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import { ensureSession } from "../../storage/session-store.ts";
import { table } from "../../storage/table.ts";
import {
  type Admission,
  type InputRecord,
  inputStates,
  type NewInput,
  type Replacement,
  type SettledState,
  storedPrompt,
} from "./records.ts";

type InputRow = InputRecord &
  Pick<NewInput, "directory"> & {
    readonly prompt: StoredPrompt | null;
    readonly partCount: number;
    readonly settledAtMs: number | null;
  };

export const inputTable = table<InputRow>(
  "session_input",
  {
    sessionId: branded(),
    id: text,
    rank: integer,
    directory: text,
    delivery: oneOf(["steer", "queue"]),
    state: oneOf(inputStates),
    messageId: orNull(text),
    digest: text,
    preview: longText,
    partCount: integer,
    prompt: orNull(json(storedPrompt)),
    admittedAtMs: integer,
    promotedAtMs: orNull(integer),
    settledAtMs: orNull(integer),
  },
  {
    key: ["sessionId", "id"],
    sessionColumn: "session_id",
    exported: { kind: "in order", by: "rank, id" },
    activityColumn: "admitted_at_ms",
  },
);

const input = inputTable.pick(
  "sessionId",
  "id",
  "rank",
  "delivery",
  "state",
  "messageId",
  "digest",
  "preview",
  "admittedAtMs",
  "promotedAtMs",
);

export type InboxStore = ReturnType<typeof inboxStore>;

export function inboxStore(driver: Driver) {
  return {
    admit: (next: NewInput): Admission => driver.transaction(() => admit(driver, next)),
    /** By admission or message id. */
    find: (id: string) => recordOr(driver.get(SELECT_BY_ID, id, id)),
    /** Null once it is gone. */
    prompt: (id: string) => promptOf(driver, id),
    /** Inputs that the host has, or was handed, and that are not settled; by rank. */
    working: (sessionId: SessionId) => driver.all(SELECT_WORKING, sessionId).map(input.read),
    /** What waits in the queue, from `from` (0 is next) on. */
    waiting: (sessionId: SessionId, from: number, count: number) =>
      driver.all(SELECT_WAITING, sessionId, count, from).map(input.read),
    countWaiting: (sessionId: SessionId) => Number(driver.get(COUNT_WAITING, sessionId)?.count),
    /** Takes a waiting or refused input out of the queue, under the message id that it gets. */
    hand: (id: string, messageId: string, prompt: StoredPrompt) =>
      driver.get(HAND, messageId, encoded(prompt), prompt.parts.length, id) ? "handed" : "gone",
    /** The prompt as the host is about to save it. */
    resolve: (id: string, prompt: StoredPrompt) =>
      driver.run(RESOLVE, encoded(prompt), prompt.parts.length, id),
    /** Not taken by the host now: a queued one goes back to its place, a steer is `refused`. */
    turnBack: (id: string) => driver.run(TURN_BACK, id),
    /** Marks those whose message stands in a boundary's history; gives the ids that were not marked yet. */
    promote: (messageIds: readonly string[], atMs: number) =>
      driver.all(PROMOTE, atMs, JSON.stringify(messageIds)).map((row) => String(row.id)),
    /** Marks those whose message stands in the host's history. */
    save: (ids: readonly string[]) => driver.run(SAVE, JSON.stringify(ids)),
    settle: (id: string, state: SettledState, atMs: number) => settle(driver, id, state, atMs),
    /** The input is over, and its prompt is admitted under a new id in the same transaction. */
    replace: (id: string, next: Replacement) => driver.transaction(() => replace(driver, id, next)),
    /** An input whose message was taken back makes room for a new one under its id. */
    forget: (id: string) =>
      driver.run("DELETE FROM session_input WHERE id = ? AND state = 'undone'", id),
    edit: (id: string, digest: string, preview: string, prompt: StoredPrompt) => {
      const begin = inputTable.encode("preview", preview);
      const edited = driver.get(EDIT, digest, begin, prompt.parts.length, encoded(prompt), id);
      return edited ? "edited" : "gone";
    },
    /** Moves the waiting input at place `from` to place `to`, both counted from 0. */
    move: (sessionId: SessionId, from: number, to: number) =>
      driver.transaction(() => move(driver, sessionId, from, to)),
    /** Sessions of this directory with anything open that was admitted by `byMs`, newest admission first. */
    openSessions: (directory: string, byMs: number, count: number) =>
      driver
        .all(SELECT_OPEN, directory, byMs, count)
        .map((row) => String(row.session_id) as SessionId),
  };
}

const SELECT_BY_ID = `
  SELECT ${input.columns} FROM session_input WHERE id = ? OR message_id = ? LIMIT 1`;

const SELECT_WORKING = `
  SELECT ${input.columns} FROM session_input
  WHERE session_id = ? AND state IN ('handed', 'refused', 'saved', 'promoted')
  ORDER BY rank, admitted_at_ms`;

const SELECT_WAITING = `
  SELECT ${input.columns} FROM session_input WHERE session_id = ? AND state = 'waiting'
  ORDER BY rank LIMIT ? OFFSET ?`;

const COUNT_WAITING = `
  SELECT count(*) AS count FROM session_input WHERE session_id = ? AND state = 'waiting'`;

const SELECT_OPEN = `
  SELECT session_id FROM session_input
  WHERE directory = ? AND state IN ('waiting', 'handed', 'refused', 'saved', 'promoted')
  GROUP BY session_id HAVING min(admitted_at_ms) <= ?
  ORDER BY max(admitted_at_ms) DESC LIMIT ?`;

function recordOr(row: SqlRow | null): InputRecord | null {
  return row && input.read(row);
}

const encoded = (prompt: StoredPrompt) => inputTable.encode("prompt", prompt);

/** By the index of each state, so that it takes as long in a session of many inputs as in a new one. */
const NEXT_RANK = `
  SELECT coalesce(max(rank), 0) + 1 AS rank FROM (
    SELECT (SELECT max(rank) FROM session_input WHERE session_id = ? AND state = value) AS rank
    FROM json_each(?)
  )`;

function admit(driver: Driver, next: NewInput): Admission {
  const former = recordOr(driver.get(SELECT_BY_ID, next.id, next.id));
  if (former) {
    const same =
      former.id === next.id &&
      former.sessionId === next.sessionId &&
      former.digest === next.digest &&
      former.delivery === next.delivery;
    return { kind: same ? "retry" : "conflict", record: former };
  }
  ensureSession(driver, next.sessionId, next.admittedAtMs);
  const states = JSON.stringify(inputStates);
  const rank = Number(driver.get(NEXT_RANK, next.sessionId, states)?.rank);
  const { prompt, directory, ...admitted } = { ...next, rank, promotedAtMs: null };
  const partCount = prompt.parts.length;
  inputTable.insert(driver, { ...admitted, prompt, directory, partCount });
  return { kind: "admitted", record: admitted };
}

const prompts = inputTable.pick("prompt");

const SELECT_PROMPT = `SELECT ${prompts.columns} FROM session_input WHERE id = ?`;

function promptOf(driver: Driver, id: string): StoredPrompt | null {
  const row = driver.get(SELECT_PROMPT, id);
  return row && prompts.read(row).prompt;
}

const HAND = `
  UPDATE session_input SET state = 'handed', message_id = ?, prompt = ?, part_count = ?
  WHERE id = ? AND state IN ('waiting', 'refused') RETURNING id`;

const RESOLVE = `
  UPDATE session_input SET prompt = ?, part_count = ? WHERE id = ? AND prompt IS NOT NULL`;

const TURN_BACK = `
  UPDATE session_input SET state = CASE delivery WHEN 'queue' THEN 'waiting' ELSE 'refused' END
  WHERE id = ? AND state = 'handed'`;

const PROMOTE = `
  UPDATE session_input SET state = 'promoted', promoted_at_ms = ?, settled_at_ms = NULL
  WHERE message_id IN (SELECT value FROM json_each(?)) AND promoted_at_ms IS NULL
    AND state IN ('handed', 'refused', 'saved', 'recorded')
  RETURNING id`;

const SAVE = `
  UPDATE session_input SET state = 'saved'
  WHERE id IN (SELECT value FROM json_each(?)) AND state IN ('handed', 'refused')`;

const SETTLE = `
  UPDATE session_input SET state = ?, settled_at_ms = ?,
    prompt = CASE WHEN ? = 'recorded' THEN prompt END,
    preview = CASE WHEN ? = 'recorded' THEN preview ELSE '""' END,
    promoted_at_ms = CASE WHEN ? = 'answered' THEN coalesce(promoted_at_ms, ?) ELSE promoted_at_ms END
  WHERE id = ? AND settled_at_ms IS NULL`;

function settle(driver: Driver, id: string, state: SettledState, atMs: number): void {
  driver.run(SETTLE, state, atMs, state, state, state, atMs, id);
}

const EDIT = `
  UPDATE session_input SET digest = ?, preview = ?, part_count = ?, prompt = ?
  WHERE id = ? AND state = 'waiting' RETURNING id`;

const COPY = `
  INSERT INTO session_input (session_id, id, rank, directory, delivery, state, message_id, digest,
    preview, part_count, prompt, admitted_at_ms)
  SELECT session_id, ?, rank, directory, delivery, 'handed', ?, digest, preview, ?, ?, ?
  FROM session_input WHERE id = ? AND settled_at_ms IS NULL`;

function replace(driver: Driver, id: string, next: Replacement): void {
  const { messageId, prompt, admittedAtMs } = next;
  driver.run(COPY, messageId, messageId, prompt.parts.length, encoded(prompt), admittedAtMs, id);
  settle(driver, id, "swallowed", admittedAtMs);
}

const RANK_AT = `
  SELECT id, rank FROM session_input WHERE session_id = ? AND state = 'waiting'
  ORDER BY rank LIMIT 1 OFFSET ?`;

const SHIFT = `
  UPDATE session_input SET rank = rank + ?
  WHERE session_id = ? AND state = 'waiting' AND rank BETWEEN ? AND ?`;

/** Those in between make room by one rank: the moved one's own is free for the last of them. */
function move(driver: Driver, sessionId: SessionId, from: number, to: number): "moved" | "gone" {
  const moved = driver.get(RANK_AT, sessionId, from);
  const target = driver.get(RANK_AT, sessionId, to);
  if (!moved || !target) return "gone";
  const [rank, targetRank] = [Number(moved.rank), Number(target.rank)];
  // One of these ranges is empty.
  driver.run(SHIFT, 1, sessionId, targetRank, rank - 1);
  driver.run(SHIFT, -1, sessionId, rank + 1, targetRank);
  driver.run("UPDATE session_input SET rank = ? WHERE id = ?", targetRank, String(moved.id));
  return "moved";
}
