// Finds a folder's project by asking git.
import { existsSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { askGit } from "./ask-git.ts";
import {
  chooseProject,
  type KnownRemote,
  normalizeRemoteUrl,
  type Project,
  type ProjectId,
  parseFirstCommit,
  toCommitId,
  toFolderId,
} from "./project.ts";
import type { ProjectStore } from "./store.ts";

// Finds a project's folder by its `.git`, never by the repository's settings.

/** Names a working folder and the root of its project, both with links resolved. */
export interface ProjectPlace {
  readonly directory: string;
  readonly root: string;
  /**
   * False if neither the working folder nor one above it has a `.git`, so that git knows nothing about it.
   */
  readonly isRepository: boolean;
}

/**
 * Finds the root: the nearest folder with a `.git`, or the directory itself if there is none. Git isn't
 * asked, because an unpacked repository can call any folder its worktree. A folder that is or contains the
 * user's home is nobody's project, even if it is a repository.
 */
export function findProjectPlace(directory: string, home: string = homedir()): ProjectPlace {
  const start = resolveLinks(directory);
  const end = resolveLinks(home);
  for (let folder = start; !isWithin(folder, end); folder = dirname(folder)) {
    if (existsSync(join(folder, ".git")))
      return { directory: start, root: folder, isRepository: true };
    if (dirname(folder) === folder) break;
  }
  return { directory: start, root: start, isRepository: false };
}

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Resolves links; a folder that no longer exists or can't be read keeps its path. */
function resolveLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error) return folder;
    throw error;
  }
}

/** Reads the known folders and origins of clones. */
export type KnownPlaces = Pick<ProjectStore, "knownAt" | "readRemotes" | "readWorktree">;

/**
 * Identifies a project by the repository's first commit, found along first parents so that a merged history
 * changes nothing, and by the clone's origin: a fork is a separate project until the user joins it. Without
 * git, without a commit, and in a shallow clone, which lacks the first commit, the worktree identifies the
 * project.
 * @throws if the folder no longer exists, or git does not answer in time
 */
export async function findProject(directory: string, places: KnownPlaces): Promise<Project> {
  return (await lookUpProject(directory, places)).project;
}

async function lookUpProject(directory: string, places: KnownPlaces) {
  const { root: worktree, isRepository } = findProjectPlace(await realpath(directory));
  const root = isRepository ? await findRoot(worktree, places) : toFolderId(worktree);
  const remote = parseFirstCommit(root) === null ? null : await readRemote(worktree);
  const known = remote === null ? [] : await readRemotes(root, worktree, places);
  const id = chooseProject(root, remote, known);
  const own = known.find(({ standing }) => standing === "own")?.remote ?? null;
  return { project: { id, name: basename(worktree) || worktree, worktree }, remote, own };
}

/** Reads the known origins; if there are none yet, the origin of the project's last active folder is used. */
async function readRemotes(
  root: ProjectId,
  worktree: string,
  places: KnownPlaces,
): Promise<readonly KnownRemote[]> {
  const known = places.readRemotes(root);
  if (known.some(({ standing }) => standing === "own")) return known;
  const at = places.readWorktree(root);
  if (at === null || at === worktree) return known;
  const remote = (await readRemote(at)) ?? `the folder ${at}`;
  return [...known, { remote, standing: "own" }];
}

/** Reads the origin from the repository's settings, without asking a server. */
async function readRemote(worktree: string): Promise<string | null> {
  const url = await askGit(worktree, ["config", "--local", "--get", "remote.origin.url"]);
  return url === null ? null : normalizeRemoteUrl(url);
}

/** Finds the project and records that it is active in this folder. */
export async function enterProject(
  store: KnownPlaces & Pick<ProjectStore, "enter" | "claimRemote">,
  directory: string,
  nowMs: number,
): Promise<Project> {
  const { project, remote, own } = await lookUpProject(directory, store);
  store.enter(project, nowMs);
  if (remote !== null) store.claimRemote(project.id, remote, own);
  return project;
}

async function findRoot(worktree: string, { knownAt }: KnownPlaces): Promise<ProjectId> {
  const known = knownAt(worktree);
  const former = known === null ? null : parseFirstCommit(known);
  // Reading a long history again would take seconds, while checking for a commit is fast.
  if (former !== null && (await hasCommit(worktree, former))) return toCommitId(former);
  if ((await askGit(worktree, ["rev-parse", "--is-shallow-repository"])) === "true") {
    return toFolderId(worktree);
  }
  const roots = await askGit(worktree, ["rev-list", "--first-parent", "--max-parents=0", "HEAD"]);
  const [root] = roots?.split("\n") ?? [];
  return root === undefined || root === "" ? toFolderId(worktree) : toCommitId(root);
}

async function hasCommit(worktree: string, commit: string): Promise<boolean> {
  return (await askGit(worktree, ["cat-file", "-e", `${commit}^{commit}`])) !== null;
}
