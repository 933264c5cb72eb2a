// How a project is named in the store. Pure.
import type { ProjectId } from "./record.ts";

/** By its repository's first commit: clones, worktrees and moved folders are one project. */
export function commitId(firstCommit: string): ProjectId {
  return `commit:${firstCommit}` as ProjectId;
}

/** Of a folder without a first commit. */
export function folderId(folder: string): ProjectId {
  return `folder:${folder}` as ProjectId;
}

/** The commit that a project goes by; null: it goes by its folder. */
export function firstCommitOf(id: ProjectId): string | null {
  return id.startsWith("commit:") ? id.slice("commit:".length) : null;
}
