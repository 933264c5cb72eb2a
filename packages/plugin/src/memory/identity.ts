// Which project a folder is of, asked of git.
import { realpath } from "node:fs/promises";
import { basename, isAbsolute, relative, sep } from "node:path";
import { askGit } from "../git/ask.ts";
import { commitId, firstCommitOf, folderId } from "./ids.ts";
import type { Project, ProjectId } from "./record.ts";
import type { MemoryStore } from "./sqlite-store.ts";

/** The project that was last at work in a worktree; null: none is known. */
type KnownAt = (worktree: string) => Promise<ProjectId | null>;

/**
 * By the repository's first commit, along first parents, so that a history that was merged in changes
 * nothing. Without git, without a commit, and in a shallow clone, which doesn't have it: by the worktree.
 * @throws where the folder is gone, or git does not answer in time.
 */
export async function projectOf(directory: string, knownAt: KnownAt): Promise<Project> {
  const folder = await realpath(directory);
  const top = await topOf(folder);
  const worktree = top === null || top === "" ? folder : top;
  const id = top === null ? folderId(worktree) : await idOf(worktree, knownAt);
  return { id, name: basename(worktree) || worktree, worktree };
}

/** An unpacked repository may call any folder its worktree, another project's too: only one around `folder` counts. */
async function topOf(folder: string): Promise<string | null> {
  const top = await askGit(folder, ["rev-parse", "--show-toplevel"]);
  if (top === null || top === "") return top;
  const [first] = relative(top, folder).split(sep);
  return first === ".." || isAbsolute(relative(top, folder)) ? null : top;
}

/** The same; the store knows from then on that it is at work there. */
export async function enterProject(
  store: Pick<MemoryStore, "knownAt" | "enter">,
  directory: string,
  nowMs: number,
): Promise<Project> {
  const project = await projectOf(directory, store.knownAt);
  await store.enter(project, nowMs);
  return project;
}

async function idOf(worktree: string, knownAt: KnownAt): Promise<ProjectId> {
  const known = await knownAt(worktree);
  const former = known === null ? null : firstCommitOf(known);
  // To read a long history again would take seconds; whether it has a commit is seen at once.
  if (known !== null && former !== null && (await holdsCommit(worktree, former))) return known;
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
