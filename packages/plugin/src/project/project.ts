// A project: one key for all its clones and worktrees, by its origin. Pure.
// Folder: Which project a folder belongs to: one key, found by git, for every feature and for the search index.
import { hashText } from "../context/canonical.ts";
import type { ProjectId } from "../storage/records.ts";

export type { ProjectId };

/** Holds the host's name for a project or its folder; it only serves to identify data to take over. */
export type HostProjectName = string & { readonly __brand: "HostProject" };

export interface Project {
  readonly id: ProjectId;
  /** The folder's name, shown to people; it may differ between clones. */
  readonly name: string;
  readonly worktree: string;
}

/** Builds the id from the repository's first commit: clones, worktrees and moved folders are one project. */
export function toCommitId(firstCommit: string): ProjectId {
  return `commit:${firstCommit}` as ProjectId;
}

/** Builds the id of a folder without a first commit. */
export function toFolderId(folder: string): ProjectId {
  return `folder:${folder}` as ProjectId;
}

/** Builds the id of data that was stored under the host's name of a project. */
export function toHostId(name: HostProjectName): ProjectId {
  return `host:${name}` as ProjectId;
}

/**
 * Builds the id of a fork, which shares another project's first commit; its origin makes the id the same on
 * every machine.
 */
export function toForkId(firstCommit: string, remote: string): ProjectId {
  return `commit:${firstCommit}~${hashText(remote)}` as ProjectId;
}

/**
 * Says whether the host's name belongs to this project in `directory` alone; forks of a repository share one
 * name.
 */
export function isOwnHostName(
  hostName: HostProjectName,
  id: ProjectId,
  directory: string,
): boolean {
  const isFork = id.includes("~") && parseFirstCommit(id) !== null;
  return !isFork || String(hostName) === directory;
}

/** Returns the first commit that a project's id names; null if the id names none. */
export function parseFirstCommit(id: string): string | null {
  return /^commit:([^~]*)/.exec(id)?.[1] ?? null;
}

// Decides by its origin whether a repository's clone is the same project. Pure.

/** Lists what an origin can be: the project's own, one that the user has joined, or a fork kept apart. */
export const REMOTE_STANDINGS = ["own", "joined", "apart"] as const;

export interface KnownRemote {
  /** The origin as `host/path`, in the form that `normalizeRemoteUrl` returns. */
  readonly remote: string;
  readonly standing: (typeof REMOTE_STANDINGS)[number];
}

/** Limits an origin's length, because it is shown and stored; a longer one is replaced by its hash. */
const MAX_REMOTE_CHARS = 200;

/**
 * Normalizes a git URL, however it is written, to `github.com/acme/shop`. Returns null if it leads to a local
 * folder, or nowhere: whoever can make a folder here can write anything into its settings, so a folder proves
 * nothing. An address that isn't understood counts as an origin of its own.
 */
export function normalizeRemoteUrl(url: string): string | null {
  const text = url.trim();
  if (/^(?:$|[/.~\\]|[a-z]:[/\\]|file:)/i.test(text) || !text.includes(":")) return null;
  const place = parseRemoteUrl(text);
  const isPlain = place !== null && !/[\p{C}\s]/u.test(place) && place.length <= MAX_REMOTE_CHARS;
  return isPlain ? place : `an address with the hash ${hashText(text)}`;
}

/**
 * Returns the server and the path, without the user and a default port; a different web port or home folder
 * means a different origin.
 */
function parseRemoteUrl(url: string): string | null {
  const web = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/]*@)?(\[[^\]]+\]|[^:/@]+)(:\d*)?(\/.*|)$/i.exec(url);
  if (web) {
    const [, scheme = "", host = "", port = "", path = ""] = web;
    const isWeb = /^https?$/i.test(scheme) && !/^:(?:80|443)?$/.test(port);
    return `${host.toLowerCase()}${isWeb ? port : ""}/${trimPath(path)}`;
  }
  const [, user = "git", host, path = ""] =
    /^(?:([^@/]+)@)?(\[[^\]]+\]|[^:/@]+):(?!\/\/)(.*)$/.exec(url) ?? [];
  if (host === undefined) return null;
  const home = user === "git" || path.startsWith("/") ? "" : `${user}@`;
  return `${home}${host.toLowerCase()}/${trimPath(path)}`;
}

function trimPath(path: string): string {
  return path
    .replace(/#.*/, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "");
}

/** Returns a clone's project: that of its first commit, unless its origin differs and was not joined. */
export function chooseProject(
  root: ProjectId,
  remote: string | null,
  known: readonly KnownRemote[],
): ProjectId {
  const firstCommit = parseFirstCommit(root);
  if (remote === null || firstCommit === null) return root;
  const standing = known.find((one) => one.remote === remote)?.standing;
  const isFirst = !known.some((one) => one.standing === "own");
  const isSame = standing === undefined ? isFirst : standing !== "apart";
  return isSame ? toCommitId(firstCommit) : toForkId(firstCommit, remote);
}
