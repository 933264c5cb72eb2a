// Shelves: the documents of one session, or those of one kind that a project has beside its sessions.
import type { SqlValue } from "../storage/driver.ts";
import type { ProjectId, SessionId } from "../storage/records.ts";

/** A session, and the project whose sessions are searched with it. */
export interface CollectionScope {
  readonly sessionId: SessionId;
  readonly project: ProjectId;
}

/** Passages have ids by shelf, and those of a project's sessions together, so that each is one range. */
export const PASSAGES_PER_COLLECTION = 2 ** 20;
export const SESSIONS_PER_PROJECT = 2 ** 16;
/** Beyond those of all sessions: of each project, what it has beside them, by kind. */
export const FIRST_PROJECT_COLLECTION = 2 ** 32;
const COLLECTIONS_PER_PROJECT = 16;
export const PROJECT_KINDS = ["commit", "memory", "segment"] as const;
export type ProjectKind = (typeof PROJECT_KINDS)[number];

export interface PassageRange {
  readonly first: number;
  readonly last: number;
}

/** Of every session of every project. */
export const HISTORIES: PassageRange = {
  first: 0,
  last: FIRST_PROJECT_COLLECTION * PASSAGES_PER_COLLECTION - 1,
};

/** Where a project's documents of a kind stand that belong to no session. */
export function ownScope(project: ProjectId, kind: ProjectKind): CollectionScope {
  return { sessionId: ownKey(project, kind), project };
}

/** @param project its id, or a name that it had before */
export function ownKey(project: string, kind: ProjectKind): SessionId {
  return `${kind} ${project}` as SessionId;
}

/** Null for the shelf of a session. @param projectId its number in the index */
export function projectCollection(
  { sessionId, project }: CollectionScope,
  projectId: number,
): number | null {
  const at = PROJECT_KINDS.findIndex((kind) => sessionId === ownScope(project, kind).sessionId);
  return at === -1 ? null : FIRST_PROJECT_COLLECTION + projectId * COLLECTIONS_PER_PROJECT + at;
}

const EMPTY: PassageRange = { first: 0, last: -1 };

/** @param id of so many passages; none: there are none */
export function rangeFrom(id: SqlValue | undefined, width: number): PassageRange {
  return typeof id === "number" ? { first: id * width, last: (id + 1) * width - 1 } : EMPTY;
}
