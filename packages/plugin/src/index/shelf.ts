// Shelves: the documents of one session, or those of a project beside them, under ids of their own.
import type { SessionId } from "../storage/records.ts";

/** A session, and the project whose sessions are searched with it. */
export interface Scope {
  readonly sessionId: SessionId;
  /** The same for all of its sessions. */
  readonly project: string;
}

/** Passages have ids by shelf, and those of a project's sessions together, so that each is one range. */
export const PASSAGES_PER_SHELF = 2 ** 20;
export const SESSIONS_PER_PROJECT = 2 ** 16;
/** Beyond those of all sessions: of each project, what belongs to none. */
export const FIRST_OWN_SHELF = 2 ** 32;

export interface PassageRange {
  readonly first: number;
  readonly last: number;
}

/** Of every session of every project. */
export const HISTORIES: PassageRange = {
  first: 0,
  last: FIRST_OWN_SHELF * PASSAGES_PER_SHELF - 1,
};

/** Where a project's documents stand that belong to no session. */
export function ownScope(project: string): Scope {
  return { sessionId: `project ${project}` as SessionId, project };
}

export function rangeFrom(id: number, width: number): PassageRange {
  return { first: id * width, last: (id + 1) * width - 1 };
}
