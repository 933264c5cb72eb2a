// Notes in SQLite.
import type { Ref } from "../projection/ref.ts";
import type { Driver } from "../storage/driver.ts";
import type { SessionId } from "../storage/records.ts";
import { ensureSession } from "../storage/session-store.ts";
import type { Note, NoteId, ProjectId } from "./record.ts";
import { noteTable } from "./schema.ts";
import { newId } from "./sqlite-rows.ts";
import type { NewNote } from "./store.ts";

/** Each is called within its caller's transaction, where it writes. */
export function noteRows(driver: Driver) {
  return {
    open: (project: ProjectId, sessionId: SessionId | null): readonly Note[] =>
      driver.all(SELECT_OPEN, project, sessionId).map(noteTable.read),

    add(note: NewNote, nowMs: number): Note {
      const { id, ref } = newId(driver, "n");
      if (note.sessionId !== null) ensureSession(driver, note.sessionId, nowMs);
      const state = { state: "open", writtenAtMs: nowMs, doneAtMs: null } as const;
      const row = { ...note, ...state, id: id as NoteId, ref };
      noteTable.insert(driver, row);
      return row;
    },

    finish(project: ProjectId, sessionId: SessionId | null, ref: Ref, nowMs: number): Note | null {
      const row = driver.get(FINISH, nowMs, project, sessionId, ref);
      return row && noteTable.read(row);
    },
  };
}

const SEEN_BY = "project = ? AND (session_id IS NULL OR session_id = ?) AND state = 'open'";

const SELECT_OPEN = `
  SELECT ${noteTable.columns} FROM note WHERE ${SEEN_BY} ORDER BY written_at_ms, rowid`;

const FINISH = `
  UPDATE note SET state = 'done', done_at_ms = ? WHERE ${SEEN_BY} AND ref = ?
  RETURNING ${noteTable.columns}`;
