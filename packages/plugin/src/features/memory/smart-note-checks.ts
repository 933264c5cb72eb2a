// Makes the expensive checks after a turn: runs commands, one at a time, and has questions asked.
import type { JobToAdd } from "../../feature-api/job-queue.ts";
import type { ProjectId } from "../../project/project.ts";
import type { SessionId } from "../../storage/records.ts";
import { questionWork } from "./smart-note-question-job.ts";
import type { SmartNoteSettings } from "./smart-note-settings.ts";
import type { SmartNote, SmartNoteStore } from "./smart-note-store.ts";

/** The time between two checks of a note. */
const COMMAND_EVERY_MS = 60_000;
const QUESTION_EVERY_MS = 30 * 60_000;

interface ChecksDeps {
  /** @throws StorageError while the database isn't open. */
  readonly store: () => SmartNoteStore;
  readonly project: () => Promise<ProjectId>;
  readonly settings: SmartNoteSettings;
  /** Resolves to true when the line exits with 0; bounded in time. Never rejects. */
  readonly run: (line: string) => Promise<boolean>;
  readonly ask: (job: JobToAdd) => void;
  readonly failed: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class Checks {
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly deps: ChecksDeps) {}

  /** Returns at once; commands run after those of the turn before. */
  afterTurn(sessionId: SessionId): void {
    this.#running = this.#running
      .then(() => this.#look(sessionId))
      .catch((error: unknown) => this.deps.failed(error));
  }

  /** Resolves when the running checks have ended. */
  idle(): Promise<void> {
    return this.#running;
  }

  async #look(sessionId: SessionId): Promise<void> {
    const { store, project } = this.deps;
    for (const note of store().waiting(await project())) await this.#check(note, sessionId);
  }

  async #check(note: SmartNote, sessionId: SessionId): Promise<void> {
    const { store, settings, run, ask, now } = this.deps;
    const { condition } = note;
    switch (condition.kind) {
      case "date":
      case "file":
        return;
      case "command":
        // The user may have taken it off the list since.
        if (!settings.commands.includes(condition.line)) return;
        if (!this.#isTime(note, COMMAND_EVERY_MS)) return;
        if (await run(condition.line)) store().hold(note.id);
        return;
      case "question": {
        const work = settings.questions ? questionWork(note, sessionId, now()) : null;
        if (work && this.#isTime(note, QUESTION_EVERY_MS)) ask(work);
      }
    }
  }

  #isTime(note: SmartNote, everyMs: number): boolean {
    const nowMs = this.deps.now();
    return nowMs - note.checkedAtMs >= everyMs && this.deps.store().claim(note, nowMs);
  }
}
