// Defines a maintenance task: it selects memories, asks, and turns an answer into proposals. Pure.
// Folder: Upkeep: tasks that keep a project's memories short, true and useful.
import type { Question } from "../../feature-api/job.ts";
import type { Memory, MemoryId } from "../memory/record.ts";
import type { ProposedAction } from "./answer.ts";
import type { Proposal } from "./proposal.ts";

/** Tasks in the order in which they run where several are due. */
export const TASKS = ["verify", "consolidate", "archive", "improve", "docs"] as const;

export type TaskName = (typeof TASKS)[number];

/** The state of a project that a task starts from. */
export interface ProjectState {
  /** Active ones of the project, in one order. */
  readonly memories: readonly Memory[];
  /** Paths that memories name, within the project. */
  readonly files: ReadonlyMap<string, "there" | "gone">;
  /** The memories that this task checked not long ago, and that are unchanged since. */
  readonly fresh: ReadonlySet<MemoryId>;
  readonly nowMs: number;
}

/** The subject of one question. */
export interface Batch {
  /** The answer may change only these. */
  readonly memories: readonly Memory[];
  /** Groups of memories that may be about one thing: only these may become one. */
  readonly groups: readonly (readonly MemoryId[])[];
  /** The files to read for the question. */
  readonly paths: readonly string[];
}

export interface TaskInput extends Batch, Pick<ProjectState, "files" | "nowMs"> {
  /** The texts of those paths that could be read. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The reason for refusing a proposal; a closed list, as reports count them. */
export type RejectionCode =
  | "not_in_format"
  | "not_of_this_task"
  /** The ref is not one of those that were shown. */
  | "unknown_memory"
  /** A memory gets one change per answer. */
  | "twice"
  | "permanent"
  /** The memories don't belong together. */
  | "not_alike"
  /** The older one was to stand. */
  | "older_stands"
  /** Identifiers, numbers, paths or words of the old text are missing. */
  | "loses"
  /** The text says what neither the old text nor the evidence does. */
  | "invents"
  | "not_shorter"
  /** The evidence does not stand in the file. */
  | "no_evidence"
  | "empty"
  | "too_long"
  | "secret"
  /** The run takes away no more. */
  | "too_many"
  /** The memory had changed by the time of the change. */
  | "changed_since"
  | "said_already"
  | "not_made";

export interface Rejection {
  readonly code: RejectionCode;
  /** The ref of the first memory that it names; empty when that is none of ours. */
  readonly ref: string;
}

export interface TaskResult {
  readonly proposals: readonly Proposal[];
  readonly refused: readonly Rejection[];
}

export interface Task {
  readonly name: TaskName;
  /** Lists the questions to ask, most useful first; an empty list means that there is nothing to do. */
  readonly inspect: (state: ProjectState) => readonly Batch[];
  readonly question: (asked: TaskInput) => Question;
  /** Checks one action of an answer against what was asked. */
  readonly check: (said: ProposedAction, asked: TaskInput) => Proposal | Rejection;
}

export function isRejection(one: Proposal | Rejection): one is Rejection {
  return "code" in one;
}
