// A planned change of one file.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { CliError } from "../cli-error.ts";
import type { Document } from "../config-file/document.ts";
import { type ConfigFile, readConfigFile } from "../config-file/read-file.ts";
import { applyEdit, type TextEdit } from "../config-file/text-edit.ts";

/** Describes a planned change of one file, before anything has happened. */
export interface FileChange {
  /** The path as the user names it. */
  readonly path: string;
  /** The file itself, where `path` is a link. */
  readonly target: string;
  readonly mode: number;
  /** The text before; null for a new file. */
  readonly before: string | null;
  /** The text after; null for a file to remove. */
  readonly after: string | null;
  /** Says whether the folder must be created first. */
  readonly makesFolder: boolean;
  /** The edit between the texts; null where it is unknown. */
  readonly edit: TextEdit | null;
}

const NEW_FILE_MODE = 0o644;
const EMPTY: Document = { text: "", root: null, eol: "\n" };

/** Plans an edit of a config file that may not be there; null if `make` finds nothing to do. */
export function planEdit(
  path: string,
  make: (document: Document) => TextEdit | null,
): FileChange | null {
  const file = readConfigFile(path);
  if (file.kind === "absent") {
    const edit = make(EMPTY);
    if (edit === null) return null;
    const after = applyEdit("", edit);
    const makesFolder = !existsSync(dirname(path));
    return { path, target: path, mode: NEW_FILE_MODE, before: null, after, makesFolder, edit };
  }
  const { document, target, mode } = requireEditable(file);
  const edit = make(document);
  if (edit === null) return null;
  if ((mode & 0o222) === 0) throw readOnly(path, applyEdit(document.text, edit));
  const after = applyEdit(document.text, edit);
  return { path, target, mode, before: document.text, after, makesFolder: false, edit };
}

/** Returns the file if it can be edited. @throws CliError that says what to do */
export function requireEditable(file: Exclude<ConfigFile, { kind: "absent" }>) {
  switch (file.kind) {
    case "present":
      return file;
    case "unreadable":
      throw new CliError(
        "config-unreadable",
        `${file.path} can't be read: ${file.reason}.`,
        "Make it a readable file or move it away, then run setup again. Nothing was changed.",
      );
    case "invalid":
      throw new CliError(
        "config-invalid",
        `${file.path} is not valid JSON: ${file.reason} at line ${file.line}, column ${file.column}.`,
        "Correct that line, then run setup again. Nothing was changed.",
      );
  }
}

/** Refuses comments and trailing commas, with which Pi reads none of its settings. @throws CliError */
export function requireStrictJson(path: string, document: Document): Document {
  const { text } = document;
  if (text.trim() === "" && document.root === null) return document;
  try {
    JSON.parse(text);
    return document;
  } catch {
    throw new CliError(
      "config-invalid",
      `${path} has comments or trailing commas, which Pi does not accept.`,
      "Remove them, then run setup again. Nothing was changed.",
    );
  }
}

function readOnly(path: string, wanted: string): CliError {
  return new CliError(
    "config-read-only",
    `${path} is read-only.`,
    [
      `Make it writable (chmod u+w) and run setup again, or change it to:`,
      ...wanted.split("\n"),
    ].join("\n  "),
  );
}
