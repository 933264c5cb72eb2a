// Plans the removal: undoes what setup changed, and removes every entry that names this plugin.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { readConfigFile } from "../config-file/read-file.ts";
import { isLauncher, textAt } from "../launcher-file.ts";
import { type FileChange, requireEditable } from "./file-change.ts";
import { type Journal, type JournalFile, type JournalStep, original } from "./journal.ts";
import { withoutEmptyList, withoutOurs } from "./plan.ts";
import type { Listing } from "./plugin-identity.ts";

interface Removal {
  readonly changes: readonly FileChange[];
  /** The journal without the undone changes. */
  readonly journal: Journal;
  /** The folders that setup made, to be removed if they are empty. */
  readonly folders: readonly string[];
}

/** Describes a file that may name us, and the lists to check in it; none for a file with our settings. */
export interface Place {
  readonly path: string;
  readonly listings: readonly Listing[];
}

/** Plans the undo: restores every byte of a file that is as we left it, else removes our entries only. */
export function planRemoval(
  places: readonly Place[],
  journal: Journal,
  written: ReadonlySet<string>,
): Removal {
  const recorded = new Map(journal.files.map((file) => [file.path, file]));
  const changes = places
    .filter(({ path }) => existsSync(path))
    .flatMap((place) => planFileRemoval(place, recorded.get(place.path), written) ?? []);
  const all = new Set(places.map(({ path }) => path));
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

/** Plans the launcher's removal; null where there is none, or the file is no longer ours. */
function launcherRemoval(path: string | null): FileChange | null {
  const before = path === null ? null : textAt(path);
  if (path === null || before === null || !isLauncher(before)) return null;
  return { path, target: path, mode: 0, before, after: null, makesFolder: false, edit: null };
}

function planFileRemoval(
  { path, listings }: Place,
  recorded: JournalFile | undefined,
  written: ReadonlySet<string>,
): FileChange | null {
  const read = readConfigFile(path);
  if (read.kind === "absent") return null;
  const { target, mode, document } = requireEditable(read);
  const before = document.text;
  const restored = recorded === undefined ? null : original(recorded, before);
  const wasMade = restored !== null && recorded?.wasMade === true;
  const left = listings.reduce((text, listing) => {
    const without = withoutOurs(path, text, { listing, written });
    // The file was changed since then: the list goes with our entry if setup had added both.
    const cameWithUs =
      restored === null &&
      without !== text &&
      recorded?.steps.some((step) => madeList(step, listing)) === true;
    return cameWithUs ? withoutEmptyList(without, listing) : without;
  }, restored ?? before);
  const after = wasMade ? null : left;
  return after === before
    ? null
    : { path, target, mode, before, after, makesFolder: false, edit: null };
}

/** Says whether a step added the whole list to the file, and not only an entry. */
function madeList({ edit: { before, after } }: JournalStep, { form }: Listing): boolean {
  const list = new RegExp(`"${form.key}"\\s*:`);
  return list.test(after) && !list.test(before);
}
