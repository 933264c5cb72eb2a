// A project: one key for all its clones and worktrees. Pure.
// Folder: Which project a folder belongs to: one key, found by git, for every feature and for the search index.
import { hashText } from "../context/canonical.ts";
import type { ProjectId } from "../storage/records.ts";

export type { ProjectId };

/** Holds the host's name of a project or its folder, which identifies only data to take over. */
export type HostProject = string & { readonly __brand: "HostProject" };

export interface Project {
  readonly id: ProjectId;
  /** The folder's name, for people; clones may differ in it. */
  readonly name: string;
  readonly worktree: string;
}

/** Builds the id from the repository's first commit: clones, worktrees and moved folders are one project. */
export function commitId(firstCommit: string): ProjectId {
  return `commit:${firstCommit}` as ProjectId;
}

/** Builds the id of a folder without a first commit. */
export function folderId(folder: string): ProjectId {
  return `folder:${folder}` as ProjectId;
}

/** Builds the id of data that was stored under the host's name of a project. */
export function hostId(name: HostProject): ProjectId {
  return `host:${name}` as ProjectId;
}

/**
 * Builds the id of a fork: it shares another project's first commit, and its origin gives the same id on each
 * machine.
 */
export function forkId(firstCommit: string, remote: string): ProjectId {
  return `commit:${firstCommit}~${hashText(remote)}` as ProjectId;
}

/**
 * Says whether only this project, at work in `directory`, has that name of the host's: forks of a repository
 * share it.
 */
export function isOwnName(hostName: HostProject, id: ProjectId, directory: string): boolean {
  const isFork = id.includes("~") && parseFirstCommit(id) !== null;
  return !isFork || String(hostName) === directory;
}

/** Returns the commit that identifies a project; null where its folder does. */
export function parseFirstCommit(id: string): string | null {
  return /^commit:([^~]*)/.exec(id)?.[1] ?? null;
}
