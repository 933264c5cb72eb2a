// What has to change to remove everything of ours.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { readConfigFile } from "../config-file/read-file.ts";
import type { ScopeFiles } from "../host/config-places.ts";
import { isLauncher, textAt } from "../launcher-file.ts";
import { type FileChange, usable } from "./file-change.ts";
import { type Journal, type JournalFile, type JournalStep, original } from "./journal.ts";
import { withoutEmptyList, withoutOurs } from "./plan.ts";

interface Removal {
  readonly changes: readonly FileChange[];
  /** Without what is undone by them. */
  readonly journal: Journal;
  /** Folders that we made, to be removed again if nothing else is in them. */
  readonly folders: readonly string[];
}

/** Takes everything back: to the byte where the file is as we left it, else our entries only. */
export function planRemoval(
  files: ScopeFiles,
  journal: Journal,
  written: ReadonlySet<string>,
): Removal {
  const paths = [...files.server, ...files.terminal, files.settings].filter(existsSync);
  const known = new Map(journal.files.map((file) => [file.path, file]));
  const changes = paths.flatMap((path) => {
    const change = removalOf(path, known.get(path), written);
    return change === null ? [] : [change];
  });
  const all = new Set([...files.server, ...files.terminal, files.settings]);
  // The launcher serves every set-up: it goes with the last one.
  const isLast = journal.files.every(
    ({ path }) => all.has(path) || path === journal.launcher || !existsSync(path),
  );
  if (isLast && journal.launcher !== null) all.add(journal.launcher);
  const ours = journal.files.filter(({ path }) => all.has(path));
  const launcher = isLast ? launcherRemoval(journal.launcher) : null;
  return {
    changes: launcher === null ? changes : [...changes, launcher],
    journal: {
      ...journal,
      files: journal.files.filter(({ path }) => !all.has(path)),
      launcher: isLast ? null : journal.launcher,
    },
    folders: ours.filter((file) => file.wasFolderMade).map(({ path }) => dirname(path)),
  };
}

/** Null: there is none, or what stands there is no launcher of ours any more. */
function launcherRemoval(path: string | null): FileChange | null {
  const before = path === null ? null : textAt(path);
  if (path === null || before === null || !isLauncher(before)) return null;
  return { path, target: path, mode: 0, before, after: null, makesFolder: false, edit: null };
}

function removalOf(
  path: string,
  known: JournalFile | undefined,
  written: ReadonlySet<string>,
): FileChange | null {
  const read = readConfigFile(path);
  if (read.kind === "absent") return null;
  const { target, mode, document } = usable(read);
  const before = document.text;
  const restored = known === undefined ? null : original(known, before);
  const wasMade = restored !== null && known?.wasMade === true;
  const without = withoutOurs(path, restored ?? before, written);
  // Somebody has changed the file since: the list goes with our entry if it came with it.
  const isOurList = restored === null && without !== before && known?.steps.some(madeList) === true;
  const after = wasMade ? null : isOurList ? withoutEmptyList(without) : without;
  return after === before
    ? null
    : { path, target, mode, before, after, makesFolder: false, edit: null };
}

/** Whether a step put the `plugin` list into the file, and not only an entry into one that was there. */
function madeList({ edit: { before, after } }: JournalStep): boolean {
  const list = /"plugin"\s*:/;
  return list.test(after) && !list.test(before);
}
