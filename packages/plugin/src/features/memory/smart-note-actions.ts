// Carries out what the tool and the command of smart notes ask for, and checks notes at each boundary.
import { resolve } from "node:path";
import { toSingleLine } from "../../context/neutralize.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import type { ProjectId } from "../../project/project.ts";
import { isWithin } from "../../sources/confinement.ts";
import type { SessionId } from "../../storage/records.ts";
import type { FinishedNotes } from "./change-text.ts";
import { finishEach } from "./note-answers.ts";
import type { Condition } from "./note-condition.ts";
import type { Author } from "./record.ts";
import { describeCondition, readCondition } from "./smart-note-condition.ts";
import type { FileStates } from "./smart-note-file-state.ts";
import type { SmartNoteSettings } from "./smart-note-settings.ts";
import type { SmartNote, SmartNoteStore } from "./smart-note-store.ts";
import { cleanText, MAX_NOTE_CHARS, refusalText, storableText } from "./text.ts";

/** At most this many notes wait or are due for a session at once. */
const MAX_OPEN = 30;

interface SmartNoteActionsDeps {
  /** @throws StorageError while the database isn't open. */
  readonly store: () => SmartNoteStore;
  readonly project: () => Promise<ProjectId>;
  readonly directory: string;
  /** The folder of the project: no condition names a file outside it. */
  readonly root: string;
  readonly settings: SmartNoteSettings;
  readonly files: FileStates;
  /** Milliseconds since 1970. */
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
    const condition = this.#condition(when);
    const stored = storableText(text, MAX_NOTE_CHARS);
    const project = await this.deps.project();
    if (store().open(project, sessionId).length >= MAX_OPEN) {
      throw new UserFacingError(
        `There are ${MAX_OPEN} open notes already; close some that are done.`,
      );
    }
    const owner = scope === "project" ? null : sessionId;
    const note = { project, sessionId: owner, text: stored, condition, by };
    return store().add(note, now());
  }

  /** @throws UserFacingError where none of them is open */
  async finish(sessionId: SessionId, written: string): Promise<FinishedNotes> {
    const { store, now } = this.deps;
    const project = await this.deps.project();
    const hint = "Name a note by its ref.";
    return finishEach(written, hint, (ref) => store().finish(project, sessionId, ref, now()));
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

  /** Finds the notes that are due for a session now. Dates and files are checked here, as that is cheap. */
  due(project: ProjectId, sessionId: SessionId): readonly SmartNote[] {
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
        return this.#fileState(condition.path) !== condition.was;
      // Commands and questions are checked beside the turns.
      case "command":
      case "question":
        return false;
    }
  }

  #fileState(path: string): string | null {
    return this.deps.files.of(resolve(this.deps.directory, path));
  }

  /** Parses a condition into its stored form. @throws UserFacingError */
  #condition(when: string): Condition {
    const { now, settings, directory, root } = this.deps;
    const cleaned = cleanText(when, MAX_NOTE_CHARS);
    if (cleaned.kind === "refused" && cleaned.why !== "empty") {
      throw new UserFacingError(refusalText(cleaned.why, MAX_NOTE_CHARS));
    }
    const condition = readCondition(cleaned.kind === "clean" ? cleaned.text : "", now());
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
        return { ...condition, was: this.#fileState(condition.path) };
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
