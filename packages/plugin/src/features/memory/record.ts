// Defines a memory as every store keeps it, and the terms for its parts.
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

/** The authors of a memory: a model by a tool, the historian, a person by a command, an import, or upkeep. */
export const AUTHORS = ["model", "historian", "user", "import", "upkeep"] as const;
export type Author = (typeof AUTHORS)[number];

/**
 * The source of a memory. `user`: a person wrote it down. `prompt`: a person said it in a session. `session`:
 * the model said it. `tool`: it was found in a tool's output and nowhere else.
 */
export const SOURCES = ["user", "prompt", "session", "tool"] as const;
export type Source = (typeof SOURCES)[number];

/** Returns the source of a memory that its author writes directly. */
export function resolveAuthorSource(by: Author): Source {
  return by === "user" || by === "import" ? "user" : "session";
}

/** Returns the strongest source: what a person wrote down outranks the same words from a model. */
export function pickStrongestSource(sources: readonly Source[]): Source {
  return SOURCES.find((source) => sources.includes(source)) ?? "tool";
}

/**
 * The highest importance, out of 100, of a memory that a model wrote or found. A person's memories start
 * higher.
 */
export const MAX_MODEL_IMPORTANCE = 60;

/** The author of a change, and where it was made. */
interface Origin {
  readonly by: Author;
  readonly sessionId: SessionId | null;
  /** The segment in which the memory was found; null if there is none. */
  readonly segment: Ref | null;
}

/**
 * `candidate`: only a model has said it. People see it; models don't until a person confirms it.
 * `superseded`: merged into another memory, or a former wording of that memory.
 */
export type MemoryState =
  | { readonly kind: "active" }
  | { readonly kind: "candidate" }
  | { readonly kind: "superseded"; readonly by: MemoryId }
  | { readonly kind: "archived" };

/** `permanent`: shown first, and never archived by upkeep. */
type Permanence = "ordinary" | "permanent";

/** The parts of a memory that its author writes. */
export interface MemoryContent {
  readonly category: Category;
  /** The text: one line, at most `MAX_MEMORY_CHARS`; see `cleanText`. */
  readonly text: string;
  /** The memory's importance, from 0 to 100. */
  readonly importance: number;
  readonly permanence: Permanence;
}

export interface Memory extends MemoryContent, Origin {
  readonly id: MemoryId;
  readonly ref: Ref;
  readonly project: ProjectId;
  /**
   * The memory's number in this project's lists on this machine; null for a former wording, which no list
   * shows.
   */
  readonly number: number | null;
  readonly source: Source;
  readonly state: MemoryState;
  readonly writtenAtMs: number;
  /** When the memory's wording or state last changed. */
  readonly changedAtMs: number;
  /** When the memory was last confirmed, because somebody wrote the same thing again. */
  readonly checkedAtMs: number;
  /** When the memory was last sent or found; null if it never was. */
  readonly usedAtMs: number | null;
  readonly uses: number;
}

/** A memory that a session can read: its project's own, or shared by another project of the workspace. */
export interface ReadableMemory extends Memory {
  /** The name of the project that shares the memory; null if the memory is the session's own. */
  readonly sharedBy: string | null;
}

/** The name of the team member who gave each memory its present form, as the member's machine states it. */
export type MemberNames = ReadonlyMap<MemoryId, string>;

/** A change to one project's memories. */
export type MemoryChange =
  | { readonly kind: "add"; readonly wording: MemoryContent }
  | LearnedFact
  /** The memory was found true again; it takes the given importance if that is higher. */
  | { readonly kind: "confirm"; readonly id: MemoryId; readonly importance: number }
  /**
   * The memory keeps its ref, and its former text stays as superseded. An edited candidate becomes active.
   */
  | { readonly kind: "edit"; readonly id: MemoryId; readonly wording: Partial<MemoryContent> }
  | { readonly kind: "archive"; readonly id: MemoryId }
  /** Makes a memory active again, or makes a candidate active, which is how a person confirms it. */
  | { readonly kind: "restore"; readonly id: MemoryId }
  /** One memory takes the place of several, which it supersedes. */
  | { readonly kind: "merge"; readonly ids: readonly MemoryId[]; readonly wording: MemoryContent };

/** A fact that was found in a session. */
export interface LearnedFact {
  readonly kind: "learn";
  readonly wording: MemoryContent;
  readonly source: Source;
  readonly state: "active" | "candidate";
  /** The segment in which the fact was found; null if it is unknown. */
  readonly segment: Ref | null;
}

/** The author, the place and the time of a change. */
export interface ChangeContext extends Origin {
  readonly nowMs: number;
}

export type ChangeOutcome =
  | { readonly kind: "done"; readonly memory: Memory }
  /** An existing memory has the same words as the new one, and now stands for both. */
  | { readonly kind: "known"; readonly memory: Memory }
  /** The project lacks the memory, or one of the memories, that the change names. */
  | { readonly kind: "missing" };

export type NoteId = string & { readonly __brand: "NoteId" };

/** Projects that read each other's memories. */
export interface Workspace {
  readonly name: string;
  readonly members: readonly WorkspaceMember[];
}

interface WorkspaceMember extends Project {
  /** The categories of this project's memories that the other projects read. */
  readonly shares: readonly Category[];
}
