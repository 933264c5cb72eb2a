// Notes in SQLite.
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
      written(() => {
        const { id, ref } = newId(driver, "n");
        if (note.sessionId !== null) ensureSession(driver, note.sessionId, nowMs);
        const state = { state: "open", writtenAtMs: nowMs, doneAtMs: null } as const;
        const row = { ...note, ...state, id: id as NoteId, ref };
        noteTable.insert(driver, row);
        return row;
      }),

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

const SEEN_BY = "project = ? AND (session_id IS NULL OR session_id = ?) AND state = 'open'";

const SELECT_OPEN = `
  SELECT ${noteTable.columns} FROM note WHERE ${SEEN_BY} ORDER BY written_at_ms, rowid`;

const FINISH = `
  UPDATE note SET state = 'done', done_at_ms = ? WHERE ${SEEN_BY} AND ref = ?
  RETURNING ${noteTable.columns}`;
