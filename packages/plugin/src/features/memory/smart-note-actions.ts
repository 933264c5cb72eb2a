// Carries out what the tool and the command of smart notes ask for, and checks notes at each boundary.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { hashText } from "../../context/canonical.ts";
import { toSingleLine } from "../../context/frames.ts";
import type { LoadResult, SourceDefinition } from "../../context/source.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { ProjectId } from "../../project/project.ts";
import { isWithin } from "../../sources/read-file.ts";
import type { SessionId } from "../../storage/records.ts";
import type { FinishedNotes } from "./change-text.ts";
import { createListRenderers } from "./list-source.ts";
import { finishEachNote } from "./note-answers.ts";
import type { Author } from "./record.ts";
import type { SmartNoteSettings } from "./settings.ts";
import { type Condition, describeCondition, parseCondition } from "./smart-note-condition.ts";
import type { SmartNote, SmartNoteStore } from "./smart-note-store.ts";
import { cleanText, describeRefusal, MAX_NOTE_CHARS, toStorableText } from "./text.ts";

// Builds `core/due-notes`: the notes whose condition has held, shown until they are done. Pure.

const itemSchema = z.object({ ref: z.string(), text: z.string(), because: z.string() });
const listSchema = z.object({ items: z.array(itemSchema).readonly() });

/** The due notes, oldest first. */
type DueNoteList = z.infer<typeof listSchema>;

type DueNote = z.infer<typeof itemSchema>;

export function toDueNoteList(notes: readonly SmartNote[]): DueNoteList {
  const items = notes.map(
    ({ ref, text, condition }): DueNote => ({ ref, text, because: describeCondition(condition) }),
  );
  return { items };
}

const dueRenderers = createListRenderers<DueNote>({
  frame: "due-notes",
  head: "Notes that are due; when one is done, close it by its ref.",
  line: ({ ref, text, because }) => `- [${ref}] ${toSingleLine(text)} (${toSingleLine(because)})`,
  knownBy: ({ ref }) => ref,
  changed: (fresh) => (fresh === 0 ? "Due notes have changed." : "Now due:"),
  gone: "Done",
  removed: "No notes are due any more.",
});

export function createDueNotesSource(
  load: () => LoadResult<DueNoteList> | Promise<LoadResult<DueNoteList>>,
): SourceDefinition<DueNoteList> {
  return { key: "core/due-notes", schema: listSchema, load, ...dueRenderers };
}

// Describes a file's present state in a word; a file that has not changed is not read again.

/** A larger file is not read: its size, time and inode are its state. */
const MAX_HASHED_FILE_BYTES = 1_000_000;
/** The states of at most this many files are cached. */
const MAX_CACHED_FILES = 200;

export class FileStates {
  readonly #known = new Map<string, { readonly stamp: string; readonly state: string }>();

  /** @param root the folder outside which no file is read, even through links */
  constructor(private readonly root: string) {}

  /** Returns null if there is no such file. */
  readState(path: string): string | null {
    try {
      return this.#read(path);
    } catch (error) {
      // A file that may not be read has the error's code as its state.
      return error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    }
  }

  #read(path: string): string | null {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) return null;
    const stamp = `${stat.size} ${stat.mtimeNs} ${stat.ino}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.state;
    if (!isWithin(realpathSync(this.root), realpathSync(path))) return "outside";
    const isRead = stat.isFile() && stat.size <= MAX_HASHED_FILE_BYTES;
    const state = isRead ? hashText(readFileSync(path, "latin1")) : stamp;
    if (this.#known.size >= MAX_CACHED_FILES) this.#known.clear();
    this.#known.set(path, { stamp, state });
    return state;
  }
}

/** At most this many notes may be waiting or due for a session at once. */
const MAX_OPEN_NOTES = 30;

interface SmartNoteActionsDeps {
  /** @throws StorageError while the database isn't open. */
  readonly store: () => SmartNoteStore;
  readonly project: () => Promise<ProjectId>;
  readonly directory: string;
  /** The project's folder; no condition may name a file outside it. */
  readonly root: string;
  readonly settings: SmartNoteSettings;
  readonly files: FileStates;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

interface NoteRequest {
  readonly text: string;
  readonly when: string;
  readonly scope: "session" | "project";
}

export class SmartNoteActions {
  constructor(private readonly deps: SmartNoteActionsDeps) {}

  /** @throws UserFacingError */
  async add(
    sessionId: SessionId,
    by: Author,
    { text, when, scope }: NoteRequest,
  ): Promise<SmartNote> {
    const { store, now } = this.deps;
    const condition = this.#parseCondition(when);
    const stored = toStorableText(text, MAX_NOTE_CHARS);
    const project = await this.deps.project();
    if (store().open(project, sessionId).length >= MAX_OPEN_NOTES) {
      throw new UserFacingError(
        `There are ${MAX_OPEN_NOTES} open notes already; close some that are done.`,
      );
    }
    const owner = scope === "project" ? null : sessionId;
    const note = { project, sessionId: owner, text: stored, condition, by };
    return store().add(note, now());
  }

  /** @throws UserFacingError if none of the named notes is open */
  async finish(sessionId: SessionId, written: string): Promise<FinishedNotes> {
    const { store, now } = this.deps;
    const project = await this.deps.project();
    const hint = "Name a note by its ref.";
    return finishEachNote(written, hint, (ref) => store().finish(project, sessionId, ref, now()));
  }

  async list(sessionId: SessionId): Promise<readonly string[]> {
    const { store, project } = this.deps;
    return store()
      .open(await project(), sessionId)
      .map(({ ref, text, state, condition, sessionId: owner }) => {
        const scope = owner === null ? " (project)" : "";
        const when = state === "open" ? "due since" : "when";
        return `[${ref}]${scope} ${toSingleLine(text)} (${when} ${describeCondition(condition)})`;
      });
  }

  /** Finds the notes that are now due for a session. Dates and files are checked here, which is cheap. */
  listDue(project: ProjectId, sessionId: SessionId): readonly SmartNote[] {
    const { store } = this.deps;
    return store()
      .open(project, sessionId)
      .filter((note) => {
        if (note.state === "open") return true;
        if (!this.#isMet(note.condition)) return false;
        store().hold(note.id);
        return true;
      });
  }

  #isMet(condition: Condition): boolean {
    switch (condition.kind) {
      case "date":
        return this.deps.now() >= condition.atMs;
      case "file":
        return this.#readFileState(condition.path) !== condition.was;
      // Commands and questions are checked in the background, after turns.
      case "command":
      case "question":
        return false;
    }
  }

  #readFileState(path: string): string | null {
    return this.deps.files.readState(resolve(this.deps.directory, path));
  }

  /** Parses a condition into its stored form. @throws UserFacingError */
  #parseCondition(when: string): Condition {
    const { now, settings, directory, root } = this.deps;
    const cleaned = cleanText(when, MAX_NOTE_CHARS);
    if (cleaned.kind === "refused" && cleaned.why !== "empty") {
      throw new UserFacingError(describeRefusal(cleaned.why, MAX_NOTE_CHARS));
    }
    const condition = parseCondition(cleaned.kind === "clean" ? cleaned.text : "", now());
    switch (condition?.kind) {
      case undefined:
        throw new UserFacingError(
          'Say when: "2026-12-01", "2026-12-01 14:00", "in 2 days", "file PATH", "command LINE" or "ask QUESTION".',
        );
      case "date":
        return condition;
      case "file":
        if (!isWithin(root, resolve(directory, condition.path))) {
          throw new UserFacingError("The file must be inside the project.");
        }
        return { ...condition, was: this.#readFileState(condition.path) };
      case "command":
        if (settings.commands.includes(condition.line)) return condition;
        throw new UserFacingError(
          "This command may not be run for a note: the user allows commands one by one, in smartNotes.commands.",
        );
      case "question":
        if (settings.questions) return condition;
        throw new UserFacingError(
          "Questions are off: the user turns them on with smartNotes.questions.",
        );
    }
  }
}
