// Records the changes that setup makes to each file, so that they can be undone exactly.
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseFields, type UnknownFields } from "@session-runtime/opencode/context/fields";
import { CliError } from "../cli-error.ts";
import { applyEdit, inverse, type TextEdit } from "../config-file/text-edit.ts";
import { writeWhole } from "../config-file/write-file.ts";
import { errorCode, systemReason } from "../system-error.ts";
import type { FileChange } from "./file-change.ts";

/**
 * Records what setup did to each file, so that `--remove` restores every byte. It keeps only our own edits and
 * digests, because config files hold keys, which must not be copied.
 */
export interface Journal {
  readonly version: 1;
  readonly files: readonly JournalFile[];
  /** The specs that setup has written into plugin lists, which identify an entry whose folder is gone. */
  readonly specs: readonly string[];
  /** The launcher's path among the files; null where setup made none. */
  readonly launcher: string | null;
}

export interface JournalFile {
  readonly path: string;
  readonly wasMade: boolean;
  readonly wasFolderMade: boolean;
  /** The steps in the order in which they were done. */
  readonly steps: readonly JournalStep[];
}

export interface JournalStep {
  readonly edit: TextEdit;
  /** The SHA-256 of the file after this step. */
  readonly digestAfter: string;
}

const EMPTY: Journal = { version: 1, files: [], specs: [], launcher: null };
const PRIVATE = 0o600;

export function journalPath(runtimeData: string): string {
  return join(runtimeData, "setup.json");
}

export function readJournal(path: string): Journal {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    // ENOTDIR means that the data folder is a file, which matters to a writer, not to a reader.
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return EMPTY;
    throw error;
  }
  // The first records had no list of specs, and no launcher.
  const value = { specs: [], launcher: null, ...parseFields(text) };
  if (isJournal(value)) return value;
  const isOther = "version" in value;
  throw new CliError(
    "journal-unknown",
    isOther
      ? `${path}, setup's record of its changes, was written by another version of session-runtime.`
      : `${path}, setup's record of its changes, is damaged.`,
    `${isOther ? "Update session-runtime, or move" : "Move"} that file away. Without it, --remove removes the plugin's entries and leaves the rest of your config as it is.`,
  );
}

function isJournal(value: UnknownFields): value is UnknownFields & Journal {
  return value.version === 1 && Array.isArray(value.files) && Array.isArray(value.specs);
}

/** Returns the specs that setup has written, as far as its record can be read. */
export function specsOfSetup(journalFile: string): ReadonlySet<string> {
  try {
    return new Set(readJournal(journalFile).specs);
  } catch (error) {
    if (error instanceof CliError || systemReason(error) !== null) return new Set();
    throw error;
  }
}

/** Writes the journal; one without changes needs no file. */
export function writeJournal(path: string, journal: Journal): void {
  if (journal.files.length === 0) rmSync(path, { force: true });
  else writeWhole(path, `${JSON.stringify(journal, null, 2)}\n`, PRIVATE);
}

/** Returns the journal with one more change of a file. */
export function record(journal: Journal, change: FileChange): Journal {
  const { path, before, after, makesFolder, edit } = change;
  if (edit === null || after === null) return journal;
  const step: JournalStep = { edit, digestAfter: digestText(after) };
  const known = journal.files.find((file) => file.path === path);
  const others = journal.files.filter((file) => file.path !== path);
  // If the file has changed since our last step, the former steps can't be undone exactly.
  const isContinued = before !== null && known?.steps.at(-1)?.digestAfter === digestText(before);
  const file: JournalFile =
    known && isContinued
      ? { ...known, steps: [...known.steps, step] }
      : { path, wasMade: before === null, wasFolderMade: makesFolder, steps: [step] };
  return { ...journal, files: [...others, file] };
}

/** Returns the text from before our first step; null if it is no longer known. */
export function original(file: JournalFile, text: string): string | null {
  for (const candidate of [text, withoutHostsSchema(text)]) {
    const restored = takenBack(file.steps, candidate);
    if (restored !== null) return restored;
  }
  return null;
}

function takenBack(steps: readonly JournalStep[], text: string): string | null {
  let current = text;
  for (const { edit, digestAfter } of steps.toReversed()) {
    if (digestText(current) !== digestAfter) return null;
    current = applyEdit(current, inverse(edit));
  }
  return current;
}

/** Removes the line that the host, at its first start, adds to a config file without it. */
function withoutHostsSchema(text: string): string {
  return text.replace(/^\{\n {2}"\$schema": "https:\/\/opencode\.ai\/config\.json",/, "{");
}

function digestText(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
