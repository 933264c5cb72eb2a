// What has to change to remove everything of ours.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { readConfigFile } from "../config-file/read-file.ts";
import type { ScopeFiles } from "../host/config-places.ts";
import { type FileChange, usable } from "./file-change.ts";
import { type Journal, type JournalFile, original } from "./journal.ts";
import { withoutOurs } from "./plan.ts";

export interface Removal {
  readonly changes: readonly FileChange[];
  /** Without what is undone by them. */
  readonly journal: Journal;
  /** Folders that we made, to be removed again if nothing else is in them. */
  readonly folders: readonly string[];
}

/** Takes everything back: to the byte where the file is as we left it, else our entries only. */
export function planRemoval(files: ScopeFiles, journal: Journal): Removal {
  const paths = [...files.server, ...files.terminal, files.settings].filter(existsSync);
  const known = new Map(journal.files.map((file) => [file.path, file]));
  const changes = paths.flatMap((path) => {
    const change = removalOf(path, known.get(path));
    return change === null ? [] : [change];
  });
  const all = new Set([...files.server, ...files.terminal, files.settings]);
  const ours = journal.files.filter(({ path }) => all.has(path));
  return {
    changes,
    journal: { ...journal, files: journal.files.filter(({ path }) => !all.has(path)) },
    folders: ours.filter((file) => file.wasFolderMade).map(({ path }) => dirname(path)),
  };
}

function removalOf(path: string, known: JournalFile | undefined): FileChange | null {
  const read = readConfigFile(path);
  if (read.kind === "absent") return null;
  const { target, mode, document } = usable(read);
  const before = document.text;
  const restored = known === undefined ? null : original(known, before);
  const wasMade = restored !== null && known?.wasMade === true;
  const after = wasMade ? null : withoutOurs(path, restored ?? before);
  return after === before
    ? null
    : { path, target, mode, before, after, makesFolder: false, edit: null };
}
