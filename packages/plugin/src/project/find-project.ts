// Which project a folder is of, asked of git.
import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { askGit } from "../git/ask.ts";
import { projectPlace } from "../git/project-root.ts";
import { commitId, firstCommitOf, folderId, type Project, type ProjectId } from "./project.ts";
import { type KnownRemote, placeOfUrl, projectAmong } from "./remote.ts";
import type { ProjectStore } from "./store.ts";

/** What is known of folders and of where clones came from. */
export type Places = Pick<ProjectStore, "knownAt" | "remotesOf" | "worktreeOf">;

/**
 * By the repository's first commit, along first parents, so that a history that was merged in changes
 * nothing, and by where a clone came from: a fork is a project of its own until the user joins it. Without
 * git, without a commit, and in a shallow clone, which doesn't have it: by the worktree.
 * @throws where the folder is gone, or git does not answer in time.
 */
export async function projectOf(directory: string, places: Places): Promise<Project> {
  return (await found(directory, places)).project;
}

async function found(directory: string, places: Places) {
  const { root: worktree, isRepository } = projectPlace(await realpath(directory));
  const root = isRepository ? await rootOf(worktree, places) : folderId(worktree);
  const remote = firstCommitOf(root) === null ? null : await remoteOf(worktree);
  const known = remote === null ? [] : await remotesOf(root, worktree, places);
  const id = projectAmong(root, remote, known);
  const own = known.find(({ standing }) => standing === "own")?.remote ?? null;
  return { project: { id, name: basename(worktree) || worktree, worktree }, remote, own };
}

/** Before any is known, the project's own is that of the folder which it was last at work in. */
async function remotesOf(
  root: ProjectId,
  worktree: string,
  places: Places,
): Promise<readonly KnownRemote[]> {
  const known = places.remotesOf(root);
  if (known.some(({ standing }) => standing === "own")) return known;
  const at = places.worktreeOf(root);
  if (at === null || at === worktree) return known;
  const remote = (await remoteOf(at)) ?? `the folder ${at}`;
  return [...known, { remote, standing: "own" }];
}

/** Read out of the repository's settings: nobody is asked. */
async function remoteOf(worktree: string): Promise<string | null> {
  const url = await askGit(worktree, ["config", "--local", "--get", "remote.origin.url"]);
  return url === null ? null : placeOfUrl(url);
}

/** The same; the store knows from then on that it is at work there. */
export async function enterProject(
  store: Places & Pick<ProjectStore, "enter" | "claimRemote">,
  directory: string,
  nowMs: number,
): Promise<Project> {
  const { project, remote, own } = await found(directory, store);
  store.enter(project, nowMs);
  if (remote !== null) store.claimRemote(project.id, remote, own);
  return project;
}

async function rootOf(worktree: string, { knownAt }: Places): Promise<ProjectId> {
  const known = knownAt(worktree);
  const former = known === null ? null : firstCommitOf(known);
  // To read a long history again would take seconds; whether it has a commit is seen at once.
  if (former !== null && (await holdsCommit(worktree, former))) return commitId(former);
  if ((await askGit(worktree, ["rev-parse", "--is-shallow-repository"])) === "true") {
    return folderId(worktree);
  }
  const roots = await askGit(worktree, ["rev-list", "--first-parent", "--max-parents=0", "HEAD"]);
  const [root] = roots?.split("\n") ?? [];
  return root === undefined || root === "" ? folderId(worktree) : commitId(root);
}

async function holdsCommit(worktree: string, commit: string): Promise<boolean> {
  return (await askGit(worktree, ["cat-file", "-e", `${commit}^{commit}`])) !== null;
}
