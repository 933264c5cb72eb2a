// Collections: the documents of one session, or those of one kind that a project has outside its sessions.
import type { SqlValue } from "../storage/driver.ts";
import type { ProjectId, SessionId } from "../storage/records.ts";

/** Names a session, and the project whose sessions are searched with it. */
export interface CollectionScope {
  readonly sessionId: SessionId;
  readonly project: ProjectId;
}

/**
 * Limits a collection's passages. Passages are numbered collection by collection, and a project's sessions
 * are adjacent, so that a collection and all of a project's sessions are each one range of ids.
 */
export const PASSAGES_PER_COLLECTION = 2 ** 20;
export const SESSIONS_PER_PROJECT = 2 ** 16;
/**
 * The first id of a project's own collections, which follow those of all sessions; each project has one per
 * kind.
 */
export const FIRST_PROJECT_COLLECTION_ID = 2 ** 32;
const COLLECTIONS_PER_PROJECT = 16;
export const PROJECT_DOCUMENT_KINDS = ["commit", "memory", "segment"] as const;
export type ProjectDocumentKind = (typeof PROJECT_DOCUMENT_KINDS)[number];

export interface PassageRange {
  readonly first: number;
  readonly last: number;
}

/** Covers the passages of every session of every project. */
export const HISTORY_RANGE: PassageRange = {
  first: 0,
  last: FIRST_PROJECT_COLLECTION_ID * PASSAGES_PER_COLLECTION - 1,
};

/** Names the collection of a project's documents of one kind that belong to no session. */
export function toProjectScope(project: ProjectId, kind: ProjectDocumentKind): CollectionScope {
  return { sessionId: toProjectCollectionKey(project, kind), project };
}

/** Builds the collection's key. @param project the project's id, or a previous name */
export function toProjectCollectionKey(project: string, kind: ProjectDocumentKind): SessionId {
  return `${kind} ${project}` as SessionId;
}

/**
 * Returns the id of a project's collection; null for a session's collection.
 * @param projectId the project's number in the index
 */
export function toProjectCollectionId(
  { sessionId, project }: CollectionScope,
  projectId: number,
): number | null {
  const at = PROJECT_DOCUMENT_KINDS.findIndex(
    (kind) => sessionId === toProjectScope(project, kind).sessionId,
  );
  return at === -1 ? null : FIRST_PROJECT_COLLECTION_ID + projectId * COLLECTIONS_PER_PROJECT + at;
}

const EMPTY_RANGE: PassageRange = { first: 0, last: -1 };

/** Returns the range of `width` passages from `id`; empty if there is no id. */
export function toPassageRange(id: SqlValue | undefined, width: number): PassageRange {
  return typeof id === "number" ? { first: id * width, last: (id + 1) * width - 1 } : EMPTY_RANGE;
}
