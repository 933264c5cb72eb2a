// The store of smart notes: notes that wait for a condition.
import type { Ref } from "../../projection/ref.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { Condition } from "../memory/note-condition.ts";
import type { Note, NoteId, ProjectId } from "../memory/record.ts";
import { noteTable } from "../memory/schema.ts";
import { finishing, insertNote, SEEN } from "../memory/sqlite-notes.ts";

/** `open`: its condition has held once; it is shown until it is done. */
export interface SmartNote extends Note {
  readonly condition: Condition;
}

type NewSmartNote = Pick<SmartNote, "project" | "sessionId" | "text" | "condition" | "by">;

/** Each write is one short transaction. */
export function smartNoteStore(driver: Driver) {
  const all = (sql: string, ...values: readonly (string | null)[]) =>
    driver.all(sql, ...values).flatMap((row) => {
      const note = noteTable.read(row);
      const { condition } = note;
      return condition === null ? [] : [{ ...note, condition }];
    });
  const changed = (sql: string, ...values: readonly (string | number | null)[]) =>
    driver.transaction(() => driver.get(sql, ...values) !== null);
  return {
    /** Not done, of the project and of the session, oldest first. */
    open: (project: ProjectId, sessionId: SessionId | null): readonly SmartNote[] =>
      all(SELECT_OPEN, project, sessionId),
    /** Of the project, whatever the session. */
    waiting: (project: ProjectId): readonly SmartNote[] => all(SELECT_WAITING, project),
    add: (note: NewSmartNote, nowMs: number): SmartNote =>
      driver.transaction(() => insertNote(driver, { ...note, state: "waiting" }, nowMs)),
    /** Its condition holds. */
    hold: (id: NoteId): void => void changed(HOLD, id),
    /** Of processes that would check it now, one does. */
    claim: ({ id, checkedAtMs }: SmartNote, nowMs: number): boolean =>
      changed(CLAIM, nowMs, id, checkedAtMs),
    /** @returns the ref; null: there is no such open one that this session may see */
    finish: (
      project: ProjectId,
      sessionId: SessionId | null,
      ref: Ref,
      nowMs: number,
    ): Ref | null => (changed(FINISH, nowMs, project, sessionId, ref) ? ref : null),
  };
}

export type SmartNoteStore = ReturnType<typeof smartNoteStore>;

const IS_REMINDER = "condition IS NOT NULL";
const ORDER = "ORDER BY written_at_ms, rowid";
const SELECT = `SELECT ${noteTable.columns} FROM note`;
const SELECT_OPEN = `${SELECT} WHERE ${SEEN} AND ${IS_REMINDER} ${ORDER}`;
const SELECT_WAITING = `${SELECT} WHERE project = ? AND state = 'waiting' ${ORDER}`;
const HOLD = "UPDATE note SET state = 'open' WHERE id = ? AND state = 'waiting' RETURNING id";
const CLAIM = `UPDATE note SET checked_at_ms = ?
  WHERE id = ? AND checked_at_ms = ? AND state = 'waiting' RETURNING id`;
const FINISH = finishing(IS_REMINDER);
