// Notes in SQLite, and what they have in common with reminders, which wait for a condition.
import type { Ref } from "../../projection/ref.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import { ensureSession } from "../../storage/session-store.ts";
import type { Note, NoteId, ProjectId } from "./record.ts";
import { noteTable } from "./schema.ts";
import { newId, type Written } from "./sqlite-rows.ts";

type NewNote = Pick<Note, "project" | "sessionId" | "text" | "by">;

export function noteStore(driver: Driver, written: Written) {
  return {
    /** Open ones of the project and of the session, oldest first. */
    openNotes: (project: ProjectId, sessionId: SessionId | null): readonly Note[] =>
      driver.all(SELECT_OPEN, project, sessionId).map(noteTable.read),

    addNote: (note: NewNote, nowMs: number): Note =>
      written(() => insertNote(driver, { ...note, condition: null, state: "open" }, nowMs)),

    /** @returns the note; null: there is no such open one that this session may see */
    finishNote: (
      project: ProjectId,
      sessionId: SessionId | null,
      ref: Ref,
      nowMs: number,
    ): Note | null =>
      written(() => {
        const row = driver.get(FINISH, nowMs, project, sessionId, ref);
        return row && noteTable.read(row);
      }),
  };
}

/** Within the caller's transaction. */
export function insertNote<New extends NewNote & Pick<Note, "condition" | "state">>(
  driver: Driver,
  note: New,
  nowMs: number,
): New & Note {
  const { id, ref } = newId(driver, "n");
  if (note.sessionId !== null) ensureSession(driver, note.sessionId, nowMs);
  const times = { writtenAtMs: nowMs, checkedAtMs: 0, doneAtMs: null };
  const row = { ...note, ...times, id: id as NoteId, ref };
  noteTable.in(driver).insert(row);
  return row;
}

/** Which a session sees until they are done. */
export const SEEN = "project = ? AND (session_id IS NULL OR session_id = ?) AND state <> 'done'";

/** @param which of those that `SEEN` gives */
export const finishing = (which: string) => `
  UPDATE note SET state = 'done', done_at_ms = ? WHERE ${SEEN} AND ${which} AND ref = ?
  RETURNING ${noteTable.columns}`;

const IS_NOTE = "condition IS NULL";

const SELECT_OPEN = `
  SELECT ${noteTable.columns} FROM note WHERE ${SEEN} AND ${IS_NOTE} ORDER BY written_at_ms, rowid`;

const FINISH = finishing(IS_NOTE);
