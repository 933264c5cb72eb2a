// Writes a run's changes to documents as a patch, which only a person's command applies.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { askGit } from "../../project/ask-git.ts";
import type { RunRecord } from "./run-table.ts";
import type { Proposal } from "./task.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

function resolvePatchPath(databasePath: string, runId: number): string {
  return join(dirname(databasePath), "upkeep", `run-${runId}.patch`);
}

/** @returns the patch's path */
export async function writePatch(
  databasePath: string,
  run: Pick<RunRecord, "id">,
  proposals: readonly Proposal[],
  texts: ReadonlyMap<string, string>,
): Promise<string> {
  const file = resolvePatchPath(databasePath, run.id);
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  writeFileSync(file, await renderPatch(proposals, texts), { mode: FILE_MODE });
  return file;
}

/** Renders the patch for `git apply`. A change is left out if an earlier change has removed its text. */
export async function renderPatch(
  proposals: readonly Proposal[],
  texts: ReadonlyMap<string, string>,
): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  const patches = [...texts].map(([path, text]) => {
    const changed = proposals.reduce(
      (now, one) => (one.kind === "document" && one.path === path ? replaceText(now, one) : now),
      text,
    );
    if (changed === text) return "";
    return createTwoFilesPatch(`a/${path}`, `b/${path}`, text, changed, undefined, undefined, {
      context: 3,
      headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
    });
  });
  return patches.join("");
}

function replaceText(
  text: string,
  { find, replace }: { readonly find: string; readonly replace: string },
): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0) return text;
  return before + replace + after;
}

// Applies a run's patch to the project's documents when a person asks for it, and reverts it.

/**
 * A marker file beside the patch records that a command of ours has applied it. A person who applied a patch
 * by hand has to undo it by hand.
 */
const toMarkerPath = (patch: string) => `${patch}.applied`;

type PatchResult =
  | "applied"
  | "already"
  /** The documents have changed since the patch was made, or git isn't available. */
  | "unfit"
  | "gone";

/** Applies the whole patch in `root`, or nothing of it. */
export async function applyPatch(root: string, patch: string): Promise<PatchResult> {
  if (!existsSync(patch)) return "gone";
  if (existsSync(toMarkerPath(patch))) return "already";
  if ((await applyWithGit(root, patch, [])) === null) return "unfit";
  writeFileSync(toMarkerPath(patch), "", { mode: FILE_MODE });
  return "applied";
}

type PatchReversal =
  | "back"
  /** The patched lines have changed since, and are left as they are. */
  | "left"
  /** The patch was not applied. */
  | "nothing";

export async function revertPatch(root: string, patch: string): Promise<PatchReversal> {
  if (!existsSync(toMarkerPath(patch))) return "nothing";
  if ((await applyWithGit(root, patch, ["--reverse"])) === null) return "left";
  rmSync(toMarkerPath(patch));
  return "back";
}

function applyWithGit(root: string, patch: string, how: readonly string[]): Promise<string | null> {
  return askGit(root, ["apply", "--whitespace=nowarn", ...how, patch]);
}
