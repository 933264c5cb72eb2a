// A memory as every store has it, and the words for what is kept.
// Folder: What stays learnt: memories of a project, notes, notes that come up when a condition holds, and how the
// user likes to work.
import type { Ref } from "../../ledger/ref.ts";
import type { Project, ProjectId } from "../../project/project.ts";
import type { SessionId } from "../../storage/records.ts";

/** The subjects of memories, in the order in which they are shown. */
export const CATEGORIES = [
  "PROJECT_RULES",
  "ARCHITECTURE",
  "CONSTRAINTS",
  "CONFIG_VALUES",
  "NAMING",
] as const;

export type Category = (typeof CATEGORIES)[number];

export type MemoryId = string & { readonly __brand: "MemoryId" };

/** The author: a model by its tool, the historian, a person by a command, an import, or a task of upkeep. */
export const AUTHORS = ["model", "historian", "user", "import", "upkeep"] as const;
export type Author = (typeof AUTHORS)[number];

/**
 * The source that a memory rests on. `user`: a person wrote it down. `prompt`: a person said it to a
 * session. `session`: the model said it. `tool`: it stands in a tool's output, and nowhere else.
 */
export const SOURCES = ["user", "prompt", "session", "tool"] as const;
export type Source = (typeof SOURCES)[number];

/** Returns the source of a memory that the author writes by himself. */
export function resolveAuthorSource(by: Author): Source {
  return by === "user" || by === "import" ? "user" : "session";
}

/** The strongest of them: what a person wrote down stands for what a model says in the same words. */
export function pickStrongestSource(sources: readonly Source[]): Source {
  return SOURCES.find((source) => sources.includes(source)) ?? "tool";
}

/** The highest importance, of 100, of a memory that a model wrote or found. A person's begins higher. */
export const MAX_MODEL_IMPORTANCE = 60;

/** The author and the place of a change. */
interface Origin {
  readonly by: Author;
  readonly sessionId: SessionId | null;
  /** The segment that it was read out of. */
  readonly segment: Ref | null;
}

/**
 * `candidate`: nobody but a model has said it. People see it, no model does, until one of them confirms it.
 * `superseded`: merged into another, or the former wording of it.
 */
export type MemoryState =
  | { readonly kind: "active" }
  | { readonly kind: "candidate" }
  | { readonly kind: "superseded"; readonly by: MemoryId }
  | { readonly kind: "archived" };

/** `permanent`: shown first, and never archived by upkeep. */
type Permanence = "ordinary" | "permanent";

/** The wording of a memory. */
export interface Wording {
  readonly category: Category;
  /** The text: one line, at most `MAX_MEMORY_CHARS`; see `cleanText`. */
  readonly text: string;
  /** 0 to 100. */
  readonly importance: number;
  readonly permanence: Permanence;
}

export interface Memory extends Wording, Origin {
  readonly id: MemoryId;
  readonly ref: Ref;
  readonly project: ProjectId;
  /** The memory's number in this project's lists, on this machine; null for a former wording, which is in none. */
  readonly number: number | null;
  readonly source: Source;
  readonly state: MemoryState;
  readonly writtenAtMs: number;
  /** The time of the last change of its wording or its state. */
  readonly changedAtMs: number;
  /** The time when it was last found true, by whoever wrote the same again. */
  readonly checkedAtMs: number;
  /** The time when it was last sent or found; null when it never was. */
  readonly usedAtMs: number | null;
  readonly uses: number;
}

/** A memory as a session reads it: of its own project, or of another one of the workspace. */
export interface ReadableMemory extends Memory {
  /** The name of the project that shares it; null: the session's own. */
  readonly sharedBy: string | null;
}

/** Names of a team's members, as each machine gives its own. */
export type Members = ReadonlyMap<MemoryId, string>;

/** A change of one project's memories. */
export type MemoryChange =
  | { readonly kind: "add"; readonly wording: Wording }
  | LearnedFact
  /** The memory was found true again; the higher importance counts. */
  | { readonly kind: "confirm"; readonly id: MemoryId; readonly importance: number }
  /** The memory keeps its ref; its former text stays, superseded. An edited candidate is one no longer. */
  | { readonly kind: "edit"; readonly id: MemoryId; readonly wording: Partial<Wording> }
  | { readonly kind: "archive"; readonly id: MemoryId }
  /** A candidate, too: that is how a person confirms it. */
  | { readonly kind: "restore"; readonly id: MemoryId }
  /** One memory takes the place of several, which are superseded by it. */
  | { readonly kind: "merge"; readonly ids: readonly MemoryId[]; readonly wording: Wording };

/** Something that was found in a session. */
export interface LearnedFact {
  readonly kind: "learn";
  readonly wording: Wording;
  readonly source: Source;
  readonly state: "active" | "candidate";
  /** The segment that it was read out of. */
  readonly segment: Ref | null;
}

/** A change, with its author and its time. */
export interface Change extends Origin {
  readonly nowMs: number;
}

export type ChangeOutcome =
  | { readonly kind: "done"; readonly memory: Memory }
  /** A memory that stands has the same words, and stands for both. */
  | { readonly kind: "known"; readonly memory: Memory }
  /** The project has no such memory. */
  | { readonly kind: "missing" };

export type NoteId = string & { readonly __brand: "NoteId" };

/** Projects that read each other's memories. */
export interface Workspace {
  readonly name: string;
  readonly members: readonly WorkspaceMember[];
}

interface WorkspaceMember extends Project {
  /** The categories of its memories that the others read. */
  readonly shares: readonly Category[];
}
