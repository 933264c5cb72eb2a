// Notes in SQLite, and what they have in common with reminders, which wait for a condition.

import type { Ref } from "../../ledger/ref.ts";
import type { ProjectId } from "../../project/project.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import { ensureSession } from "../../storage/session-store.ts";
import type { NoteId } from "./record.ts";
import { type Note, type NoteRow, noteTable } from "./schema.ts";
import { newId, type WriteTransaction } from "./sqlite-rows.ts";

type NewNote = Pick<Note, "project" | "sessionId" | "text" | "by">;

export function noteStore(driver: Driver, written: WriteTransaction) {
  const openNotes = (project: ProjectId, sessionId: SessionId | null): readonly Note[] =>
    seenNotes(driver, project, sessionId).filter(({ condition }) => condition === null);
  return {
    /** Open ones of the project and of the session, oldest first. */
    openNotes,

    addNote: (note: NewNote, nowMs: number): Note =>
      written(() => insertNote(driver, { ...note, condition: null, state: "open" }, nowMs)),

    /** @returns the note; null: there is no such open one that this session may see */
    finishNote: (
      project: ProjectId,
      sessionId: SessionId | null,
      ref: Ref,
      nowMs: number,
    ): Note | null =>
      written(() => finishNote(driver, openNotes(project, sessionId), { ref, nowMs })),
  };
}

/** Notes and reminders that are not done, of the project and of the session, oldest first. */
export function seenNotes(
  driver: Driver,
  project: ProjectId,
  sessionId: SessionId | null,
): readonly Note[] {
  return driver.all(SELECT_SEEN, project, sessionId).map((row) => toNote(noteTable.read(row)));
}

export function toNote({ member: _, ...note }: NoteRow): Note {
  return note;
}

/** Inserts a note; runs within the caller's transaction. */
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

/** Finishes a note within the caller's transaction. @returns the note; null: none of these has the ref */
export function finishNote(
  driver: Driver,
  notes: readonly Note[],
  { ref, nowMs }: { readonly ref: Ref; readonly nowMs: number },
): Note | null {
  const note = notes.find((one) => one.ref === ref);
  if (!note) return null;
  const done = { state: "done", doneAtMs: nowMs } as const;
  noteTable.in(driver).update({ id: note.id }, done);
  return { ...note, ...done };
}

const SELECT_SEEN = `
  SELECT ${noteTable.columns} FROM note
  WHERE project = ? AND (session_id IS NULL OR session_id = ?) AND state <> 'done'
  ORDER BY written_at_ms, rowid`;
