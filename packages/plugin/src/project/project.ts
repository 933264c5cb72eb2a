// A project: one key for all that goes by it, the same in its clones and worktrees. Pure.
// Folder: Which project a folder belongs to: one key, found by git, for every feature and for the search index.
import { hashText } from "../context/canonical.ts";
import type { ProjectId } from "../storage/records.ts";

export type { ProjectId };

/** What the host calls a project, or its folder: nothing but what is taken over goes by it. */
export type HostProject = string & { readonly __brand: "HostProject" };

export interface Project {
  readonly id: ProjectId;
  /** The name of its folder, for people; clones may differ in it. */
  readonly name: string;
  readonly worktree: string;
}

/** By its repository's first commit: clones, worktrees and moved folders are one project. */
export function commitId(firstCommit: string): ProjectId {
  return `commit:${firstCommit}` as ProjectId;
}

/** Of a folder without a first commit. */
export function folderId(folder: string): ProjectId {
  return `folder:${folder}` as ProjectId;
}

/** Of what was stored by the host's name of a project. */
export function hostId(name: HostProject): ProjectId {
  return `host:${name}` as ProjectId;
}

/** Of a clone that has the first commit of another project, and comes from elsewhere: the same on each machine. */
export function forkId(firstCommit: string, remote: string): ProjectId {
  return `commit:${firstCommit}~${hashText(remote)}` as ProjectId;
}

/** Whether nothing but this project, at work in `directory`, has that name of the host's: forks of a repository share its. */
export function isOwnName(hostName: HostProject, id: ProjectId, directory: string): boolean {
  const isFork = id.includes("~") && parseFirstCommit(id) !== null;
  return !isFork || String(hostName) === directory;
}

/** The commit that a project goes by; null: it goes by its folder. */
export function parseFirstCommit(id: string): string | null {
  return /^commit:([^~]*)/.exec(id)?.[1] ?? null;
}
