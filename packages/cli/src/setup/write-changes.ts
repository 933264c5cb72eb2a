// Writes planned changes and records them.
import { type Environment, placesOf } from "../host/places.ts";
import { applyChanges } from "./apply.ts";
import type { FileChange } from "./file-change.ts";
import { journalPath, readJournal, record } from "./journal.ts";

/** Writes planned changes, and notes them so that `--remove` can take them back. */
export function writeChanges(changes: readonly FileChange[], spec: string, env: Environment): void {
  const journalFile = journalPath(placesOf(env).runtimeData);
  const before = readJournal(journalFile);
  const specs = [...new Set([...before.specs, spec])];
  const after = { ...changes.reduce(record, before), specs };
  applyChanges(changes, journalFile, { before, after });
}
