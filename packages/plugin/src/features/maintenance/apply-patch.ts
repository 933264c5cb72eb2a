// Puts the patch of a run into the project's documents when a person asks, and takes it back out.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { askGit } from "../../project/ask-git.ts";

const FILE_MODE = 0o600;

/**
 * A file beside the patch marks that a command of ours has applied it. A patch that a person applied by
 * hand is theirs to undo.
 */
const markPath = (patch: string) => `${patch}.applied`;

type PatchResult =
  | "applied"
  | "already"
  /** The documents are no longer as they were, or git isn't there. */
  | "unfit"
  | "gone";

/** Applies all of the patch or nothing, in `root`. */
export async function applyPatch(root: string, patch: string): Promise<PatchResult> {
  if (!existsSync(patch)) return "gone";
  if (existsSync(markPath(patch))) return "already";
  if ((await gitApply(root, patch, [])) === null) return "unfit";
  writeFileSync(markPath(patch), "", { mode: FILE_MODE });
  return "applied";
}

type PatchReversal =
  | "back"
  /** The patched lines have changed since: they stay. */
  | "left"
  /** The patch was not applied. */
  | "nothing";

export async function takeBackPatch(root: string, patch: string): Promise<PatchReversal> {
  if (!existsSync(markPath(patch))) return "nothing";
  if ((await gitApply(root, patch, ["--reverse"])) === null) return "left";
  rmSync(markPath(patch));
  return "back";
}

function gitApply(root: string, patch: string, how: readonly string[]): Promise<string | null> {
  return askGit(root, ["apply", "--whitespace=nowarn", ...how, patch]);
}
