// What every store of memories, notes and workspaces does, wherever it keeps them.
import type { Ref } from "../projection/ref.ts";
import type { SessionId } from "../storage/records.ts";
import type { ChangeOutcome, MemoryChange } from "./changes.ts";
import type {
  Category,
  Memory,
  MemoryId,
  Note,
  Origin,
  Project,
  ProjectId,
  ReadableMemory,
  Workspace,
} from "./record.ts";

/** Names of a team's members, as each machine gives its own. */
export type Members = ReadonlyMap<MemoryId, string>;

export interface MemoryStore {
  /**
   * Another number wherever anything may have changed, by this process or another; cheap, as each call
   * to a model asks. @throws StorageError
   */
  version(): number;
  /**
   * The project is at work at this place. What was stored for the place while it had no first commit is
   * the project's from then on.
   */
  enter(project: Project, nowMs: number): Promise<void>;
  /** The project that was last at work in a worktree; null: none was. */
  knownAt(worktree: string): Promise<ProjectId | null>;
  /**
   * Active memories of the project, and those that others of its workspace share: permanent ones first,
   * then by importance, the project's own before others', the newest first.
   */
  readable(project: ProjectId, count: number): Promise<readonly ReadableMemory[]>;
  /** All of the project's own, whatever their state, by category and in the same order. */
  list(project: ProjectId): Promise<readonly Memory[]>;
  find(project: ProjectId, ref: Ref): Promise<Memory | null>;
  /** Who of a team gave each of the project's memories its present form; without a team nobody is named. */
  members(project: ProjectId): Promise<Members>;
  /** All changes or none. An outcome for each, in their order. */
  apply(
    project: ProjectId,
    changes: readonly MemoryChange[],
    by: Change,
  ): Promise<readonly ChangeOutcome[]>;
  /** They were sent or found. */
  used(ids: readonly MemoryId[], nowMs: number): Promise<void>;
  /** Removes one for good, with its former wordings. @returns whether there was one */
  forget(project: ProjectId, id: MemoryId): Promise<boolean>;
  /** Removes everything that is the project's: memories, notes, its membership. */
  forgetProject(project: ProjectId): Promise<void>;

  /** Open ones of the project and of the session, oldest first. */
  openNotes(project: ProjectId, sessionId: SessionId | null): Promise<readonly Note[]>;
  addNote(note: NewNote, nowMs: number): Promise<Note>;
  /** @returns the note; null: there is no such open one that this session may see */
  finishNote(
    project: ProjectId,
    sessionId: SessionId | null,
    ref: Ref,
    nowMs: number,
  ): Promise<Note | null>;

  workspaceOf(project: ProjectId): Promise<Workspace | null>;
  workspaces(): Promise<readonly Workspace[]>;
  /** @returns false: there is one of that name */
  createWorkspace(name: string, nowMs: number): Promise<boolean>;
  /** Leaves any other; joining again changes what is shared. @returns false: there is none of that name */
  joinWorkspace(
    project: Project,
    name: string,
    shares: readonly Category[],
    nowMs: number,
  ): Promise<boolean>;
  /** An empty workspace is removed. @returns the name of the one it was in; null: none */
  leaveWorkspace(project: ProjectId): Promise<string | null>;
}

/** By whom and when. */
export interface Change extends Origin {
  readonly nowMs: number;
}

export type NewNote = Pick<Note, "project" | "sessionId" | "text" | "by">;
