// Writes a run's changes of documents as a patch beside the database, which only a person's command applies.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Proposal } from "./proposal.ts";
import type { RunRecord } from "./run-table.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

function patchPath(databasePath: string, runId: number): string {
  return join(dirname(databasePath), "upkeep", `run-${runId}.patch`);
}

/** @returns the file */
export async function writePatch(
  databasePath: string,
  run: Pick<RunRecord, "id">,
  proposals: readonly Proposal[],
  texts: ReadonlyMap<string, string>,
): Promise<string> {
  const file = patchPath(databasePath, run.id);
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  writeFileSync(file, await renderPatch(proposals, texts), { mode: FILE_MODE });
  return file;
}

/** Renders the patch for `git apply`. A change whose text an earlier change has removed is left out. */
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
