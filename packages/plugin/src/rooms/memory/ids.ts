// The ids of projects, and of memories' former wordings. Pure.
import { hashText } from "../../context/canonical.ts";
import type { MemoryId, ProjectId } from "./record.ts";

/** By its repository's first commit: clones, worktrees and moved folders are one project. */
export function commitId(firstCommit: string): ProjectId {
  return `commit:${firstCommit}` as ProjectId;
}

/** Of a folder without a first commit. */
export function folderId(folder: string): ProjectId {
  return `folder:${folder}` as ProjectId;
}

/** Of reminders that were stored by the host's name of a project. */
export function hostId(name: string): ProjectId {
  return `host:${name}` as ProjectId;
}

/** Of a clone that has the first commit of another project, and comes from elsewhere: the same on each machine. */
export function forkId(firstCommit: string, remote: string): ProjectId {
  return `commit:${firstCommit}~${hashText(remote)}` as ProjectId;
}

/** The commit that a project goes by; null: it goes by its folder. */
export function firstCommitOf(id: string): string | null {
  return /^commit:([^~]*)/.exec(id)?.[1] ?? null;
}

/** The same wherever it is made, so that machines that share a memory have each former wording once. */
export function formerId(memory: string, text: string): MemoryId {
  const digits = hashText(`former ${memory} ${text}`) + hashText(`${memory} had ${text}`);
  const parts = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ] as const;
  return parts.map(([from, to]) => digits.slice(from, to)).join("-") as MemoryId;
}
