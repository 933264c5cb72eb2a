// Makes all changes of files, or none, and records them.
import { readFileSync, rmSync } from "node:fs";
import { CliError } from "../cli-error.ts";
import { writeWhole } from "../config-file/write-file.ts";
import { type Environment, resolvePlaces } from "../host/places.ts";
import { errorCode, systemRefusal } from "../system-error.ts";
import type { FileChange } from "./file-change.ts";
import { type Journal, journalPath, readJournal, record, writeJournal } from "./journal.ts";

interface WrittenFiles {
  readonly specs: readonly string[];
  readonly launcher: FileChange | null;
}

/** Writes planned changes, and records them so that `--remove` can undo them. */
export function writeChanges(
  changes: readonly FileChange[],
  { specs: added, launcher }: WrittenFiles,
  env: Environment,
): void {
  const journalFile = journalPath(resolvePlaces(env).runtimeData);
  const before = readJournal(journalFile);
  const specs = [...new Set([...before.specs, ...added])];
  const all = launcher === null ? changes : [...changes, launcher];
  const after = {
    ...all.reduce(record, before),
    specs,
    launcher: launcher?.path ?? before.launcher,
  };
  applyChanges(all, journalFile, { before, after });
}

/** Makes all changes or none: when one fails, those before it are undone. */
export function applyChanges(
  changes: readonly FileChange[],
  journalFile: string,
  journals: { readonly before: Journal; readonly after: Journal },
): void {
  for (const change of changes) refuseIfMoved(change);
  const done: FileChange[] = [];
  try {
    writeJournal(journalFile, journals.after);
    for (const change of changes) {
      put(change, change.after);
      done.push(change);
    }
  } catch (error) {
    for (const change of done.toReversed()) put(change, change.before);
    writeJournal(journalFile, journals.before);
    const reason = systemRefusal(error)?.message.replace(/\.$/, "") ?? String(error);
    throw new CliError(
      "write-failed",
      `The changes could not be written: ${reason}.`,
      "Your config is as it was before. Check permissions and free disk space, then run the command again.",
    );
  }
}

function put({ target, mode }: FileChange, text: string | null): void {
  if (text === null) rmSync(target, { force: true });
  else writeWhole(target, text, mode);
}

/** Refuses a file that has changed since it was read: an editor may have saved it while the user read the diff. */
function refuseIfMoved({ path, target, before }: FileChange): void {
  if (textAt(target) === before) return;
  throw new CliError(
    "config-changed",
    `${path} changed in the meantime.`,
    "Nothing was written. Run the command again to see what it would do now.",
  );
}

function textAt(path: string): string | null {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return null;
    throw error;
  }
}
