// Stores prompts.
import type { StoredPrompt } from "../../feature-api/prompt.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import { ensureSession } from "../../storage/session-store.ts";
import {
  type InputAdmission,
  inputColumns,
  inputStates,
  inputTable,
  type NewInput,
  type Replacement,
  type SettledState,
} from "./records.ts";

export type InboxStore = ReturnType<typeof createInboxStore>;

export function createInboxStore(driver: Driver) {
  const rows = inputTable.in(driver);
  const inputs = inputColumns.in(driver);
  const prompts = inputTable.pick("prompt").in(driver);
  const find = (id: string) => inputs.find({ id }) ?? inputs.find({ messageId: id });
  const listWaiting = (sessionId: SessionId, from: number, count: number) =>
    driver.all(SELECT_WAITING, sessionId, count, from).map(inputColumns.read);
  const settle = (id: string, state: SettledState, atMs: number) => {
    const open = { id, settledAtMs: null };
    if (state === "answered") rows.update({ ...open, promotedAtMs: null }, { promotedAtMs: atMs });
    const kept = state === "recorded" ? {} : { prompt: null, preview: "" };
    rows.update(open, { state, settledAtMs: atMs, ...kept });
  };
  return {
    admit: (next: NewInput): InputAdmission =>
      driver.transaction(() => {
        const former = find(next.id);
        if (former)
          return { kind: isSameInput(former, next) ? "retry" : "conflict", record: former };
        ensureSession(driver, next.sessionId, next.admittedAtMs);
        const states = JSON.stringify(inputStates);
        const rank = Number(driver.get(SELECT_NEXT_RANK, next.sessionId, states)?.rank);
        const { prompt, directory, ...admitted } = { ...next, rank, promotedAtMs: null };
        rows.insert({ ...admitted, ...toColumns(prompt), directory });
        return { kind: "admitted", record: admitted };
      }),
    /** Finds a row by admission id or message id. */
    find,
    /** Returns the input's prompt; null once the prompt has been removed. */
    prompt: (id: string): StoredPrompt | null => prompts.find({ id })?.prompt ?? null,
    /** Lists inputs that the host has, or was handed, and that have not settled; by rank. */
    working: (sessionId: SessionId) =>
      inputs.list({ sessionId, state: WORKING_STATES }, "rank", "admittedAtMs"),
    /** Lists the queue's waiting prompts from place `from` on (0 is next). */
    waiting: listWaiting,
    countWaiting: (sessionId: SessionId) => rows.count({ sessionId, state: "waiting" }),
    /** Takes a waiting or refused input out of the queue and gives it its message id. */
    hand: (id: string, messageId: string, prompt: StoredPrompt): "handed" | "gone" => {
      const held = { id, state: ["waiting", "refused"] } as const;
      const values = { state: "handed", messageId, ...toColumns(prompt) } as const;
      return rows.update(held, values).length > 0 ? "handed" : "gone";
    },
    /** Stores the prompt as the host is about to save it. */
    resolve: (id: string, prompt: StoredPrompt): void =>
      driver.transaction(() => {
        if (prompts.find({ id })?.prompt) rows.update({ id }, toColumns(prompt));
      }),
    /**
     * Marks an input that the host has not accepted: a queued prompt goes back to its place, a steer is
     * `refused`.
     */
    turnBack: (id: string): void =>
      driver.transaction(() => {
        rows.update({ id, state: "handed", delivery: "queue" }, { state: "waiting" });
        rows.update({ id, state: "handed" }, { state: "refused" });
      }),
    /**
     * Marks inputs whose message is in a boundary's history; returns the ids that had not been marked yet.
     */
    promote: (messageIds: readonly string[], atMs: number): readonly string[] =>
      rows
        .update(
          { messageId: messageIds, promotedAtMs: null, state: UNPROMOTED_STATES },
          { state: "promoted", promotedAtMs: atMs, settledAtMs: null },
        )
        .map(({ id }) => id),
    /** Marks inputs whose message is in the host's history. */
    save: (ids: readonly string[]): void =>
      void rows.update({ id: ids, state: ["handed", "refused"] }, { state: "saved" }),
    settle: (id: string, state: SettledState, atMs: number): void =>
      driver.transaction(() => settle(id, state, atMs)),
    /** Settles an input, and admits its prompt under a new id in the same transaction. */
    replace: (id: string, { messageId, prompt, admittedAtMs }: Replacement): void =>
      driver.transaction(() => {
        const former = rows.find({ id, settledAtMs: null });
        if (former === null) return;
        const next = { id: messageId, messageId, state: "handed", promotedAtMs: null } as const;
        rows.insert({ ...former, ...next, ...toColumns(prompt), admittedAtMs });
        settle(id, "swallowed", admittedAtMs);
      }),
    /** Deletes an input whose message was taken back, so that its id can be used again. */
    forget: (id: string): void => void rows.delete({ id, state: "undone" }),
    edit: (id: string, digest: string, preview: string, prompt: StoredPrompt) => {
      const values = { digest, preview, ...toColumns(prompt) };
      return rows.update({ id, state: "waiting" }, values).length > 0 ? "edited" : "gone";
    },
    /** Moves the waiting input at place `from` to place `to`, both counted from 0. */
    move: (sessionId: SessionId, from: number, to: number): "moved" | "gone" =>
      driver.transaction(() => {
        const [moved] = listWaiting(sessionId, from, 1);
        const [target] = listWaiting(sessionId, to, 1);
        if (!moved || !target) return "gone";
        // The rows in between move by one rank, the last of them to the moved row's place; one of the ranges
        // is empty.
        driver.run(SHIFT_RANKS, 1, sessionId, target.rank, moved.rank - 1);
        driver.run(SHIFT_RANKS, -1, sessionId, moved.rank + 1, target.rank);
        rows.update({ id: moved.id }, { rank: target.rank });
        return "moved";
      }),
    /**
     * Lists sessions of this directory with open inputs that were admitted by `byMs`, newest admission first.
     */
    openSessions: (directory: string, byMs: number, count: number) =>
      driver
        .all(SELECT_OPEN, directory, byMs, count)
        .map((row) => String(row.session_id) as SessionId),
  };
}

const WORKING_STATES = ["handed", "refused", "saved", "promoted"] as const;

const UNPROMOTED_STATES = ["handed", "refused", "saved", "recorded"] as const;

const toColumns = (prompt: StoredPrompt) => ({ prompt, partCount: prompt.parts.length });

function isSameInput(former: InputAdmission["record"], next: NewInput): boolean {
  return (
    former.id === next.id &&
    former.sessionId === next.sessionId &&
    former.digest === next.digest &&
    former.delivery === next.delivery
  );
}

/** Selects waiting inputs from a place in the queue on, without returning those before it. */
const SELECT_WAITING = `
  SELECT ${inputColumns.columns} FROM session_input WHERE session_id = ? AND state = 'waiting'
  ORDER BY rank LIMIT ? OFFSET ?`;

const SELECT_OPEN = `
  SELECT session_id FROM session_input
  WHERE directory = ? AND state IN ('waiting', 'handed', 'refused', 'saved', 'promoted')
  GROUP BY session_id HAVING min(admitted_at_ms) <= ?
  ORDER BY max(admitted_at_ms) DESC LIMIT ?`;

/** Uses the index of each state, so that a session of many inputs takes no longer than a new one. */
const SELECT_NEXT_RANK = `
  SELECT coalesce(max(rank), 0) + 1 AS rank FROM (
    SELECT (SELECT max(rank) FROM session_input WHERE session_id = ? AND state = value) AS rank
    FROM json_each(?)
  )`;

const SHIFT_RANKS = `
  UPDATE session_input SET rank = rank + ?
  WHERE session_id = ? AND state = 'waiting' AND rank BETWEEN ? AND ?`;
