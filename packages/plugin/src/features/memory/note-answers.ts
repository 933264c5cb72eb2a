// Carries out what the notes' tool and command ask for.
import { toSingleLine } from "../../context/frames.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { type Ref, readRef } from "../../ledger/ref.ts";
import type { Project } from "../../project/project.ts";
import type { SessionId } from "../../storage/records.ts";
import { parseRefs } from "./actions.ts";
import { type FinishedNotes, renderUnknownNotes } from "./change-text.ts";
import type { Author } from "./record.ts";
import type { Note } from "./schema.ts";
import type { MemoryStore } from "./sqlite-store.ts";
import { MAX_NOTE_CHARS, toStorableText } from "./text.ts";

/** The session whose notes are changed, and their author. */
interface NoteWriter {
  readonly project: Project;
  readonly sessionId: SessionId;
  readonly by: Author;
  readonly nowMs: number;
}

/** @throws UserFacingError */
export function addNote(
  store: MemoryStore,
  { project, sessionId, by, nowMs }: NoteWriter,
  { text, scope }: { readonly text: string; readonly scope: "session" | "project" },
): Note {
  const owner = scope === "project" ? null : sessionId;
  const stored = toStorableText(text, MAX_NOTE_CHARS);
  const note = { project: project.id, sessionId: owner, text: stored, by };
  return store.addNote(note, nowMs);
}

/** @throws UserFacingError if none of the named notes is open */
export function finishNotes(
  store: MemoryStore,
  { project, sessionId, nowMs }: NoteWriter,
  written: string,
): FinishedNotes {
  const hint = "Name a note by its ref, such as n:k3f9ab.";
  return finishEachNote(written, hint, (ref) =>
    store.finishNote(project.id, sessionId, ref, nowMs),
  );
}

/**
 * Finishes the named notes that are open, and returns the other names.
 * @throws UserFacingError if none of the notes is open
 */
export function finishEachNote(
  written: string,
  hint: string,
  finish: (ref: Ref) => Note | null,
): FinishedNotes {
  const [done, unknown]: [Ref[], string[]] = [[], []];
  for (const one of parseRefs(written)) {
    const ref = readRef(one, "n");
    if (ref !== null && finish(ref) !== null) done.push(ref);
    else unknown.push(toSingleLine(one).slice(0, 60));
  }
  if (done.length === 0) throw new UserFacingError(renderUnknownNotes(unknown) || hint);
  return { done, unknown };
}

export function renderNoteLine({ ref, text, sessionId }: Note): string {
  return `[${ref}]${sessionId === null ? " (project)" : ""} ${toSingleLine(text)}`;
}
