// Stores smart notes, which wait for a condition.
import type { Ref } from "../../ledger/ref.ts";
import type { ProjectId } from "../../project/project.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { NoteId } from "./record.ts";
import { type Note, noteTable } from "./schema.ts";
import type { Condition } from "./smart-note-condition.ts";
import { finishNote, insertNote, listVisibleNotes, toNote } from "./sqlite-rows.ts";

/**
 * A note with a condition. `open` means that the condition has held once; the note is shown until it is done.
 */
export interface SmartNote extends Note {
  readonly condition: Condition;
}

type NewSmartNote = Pick<SmartNote, "project" | "sessionId" | "text" | "condition" | "by">;

/** Stores smart notes. Each write is one short transaction. */
export function createSmartNoteStore(driver: Driver) {
  const notes = noteTable.in(driver);
  const listOpenNotes = (project: ProjectId, sessionId: SessionId | null): readonly SmartNote[] =>
    listVisibleNotes(driver, project, sessionId).filter(isSmartNote);
  return {
    /** Lists the waiting and due notes of the project and of the session, oldest first. */
    open: listOpenNotes,
    /** Lists the project's notes whose condition has not held yet, whatever their session. */
    waiting: (project: ProjectId): readonly SmartNote[] =>
      notes.list({ project, state: "waiting" }, "writtenAtMs").map(toNote).filter(isSmartNote),
    add: (note: NewSmartNote, nowMs: number): SmartNote =>
      driver.transaction(() => insertNote(driver, { ...note, state: "waiting" }, nowMs)),
    /** Makes a note due, because its condition holds. */
    hold: (id: NoteId): void => void notes.update({ id, state: "waiting" }, { state: "open" }),
    /** Claims a note's check. Of several processes that are about to make it, only one gets true. */
    claim: ({ id, checkedAtMs }: SmartNote, nowMs: number): boolean =>
      notes.update({ id, checkedAtMs, state: "waiting" }, { checkedAtMs: nowMs }).length > 0,
    /** @returns the note; null if the session may see no unfinished note with this ref */
    finish: (project: ProjectId, sessionId: SessionId | null, ref: Ref, nowMs: number) =>
      driver.transaction(() =>
        finishNote(driver, listOpenNotes(project, sessionId), { ref, nowMs }),
      ),
  };
}

export type SmartNoteStore = ReturnType<typeof createSmartNoteStore>;

function isSmartNote(note: Note): note is SmartNote {
  return note.condition !== null;
}
