// Classifies what a tool call is about, a file, its lines or a command, so that calls can be compared.
import { toCanonicalJson } from "../context/canonical.ts";
import { toFields, type UnknownFields } from "../context/fields.ts";
import { classifyTool } from "../ledger/host-tools.ts";
import type { ToolPart } from "../ledger/message.ts";

// Describes which lines of a file a call shows.

/** A range of lines, counted from 1; `to` is the last line, or Infinity if the call gives none. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

// Recognises shell commands that read a single file, which count as reads of it.

/** A file that a command shows, with its lines, or null if the command selects them by their content. */
interface ShellRead {
  readonly path: string;
  readonly lines: LineRange | null;
}

const ALL_LINES: LineRange = { from: 1, to: Number.POSITIVE_INFINITY };

/** Recognises a read; null if the command does something else, or names more than one file. */
export function parseShellRead(command: string): ShellRead | null {
  const { folder, rest } = splitFolder(command.trim().replace(/\s+2>\s*\/dev\/null$/, ""));
  const words = parseShellWords(rest);
  if (words === null) return null;
  const [name, ...given] = words;
  const read = parseReader(name ?? "", given);
  return read && { ...read, path: joinPath(folder, read.path) };
}

function splitFolder(command: string): { readonly folder: string; readonly rest: string } {
  const [, folder = "", rest = command] =
    /^cd\s+([^\s;&|'"$]+)\s*&&\s*([\s\S]+)$/.exec(command) ?? [];
  return { folder, rest };
}

function joinPath(folder: string, path: string): string {
  return folder === "" || path.startsWith("/") ? path : `${folder.replace(/\/$/, "")}/${path}`;
}

/** Splits plain and quoted words; null if a shell would do more than call one program. */
function parseShellWords(command: string): readonly string[] | null {
  const words = command.match(/'[^']*'|"[^"$`\\]*"|[^\s'"]+/g) ?? [];
  const isPlain = words.every((word) => /^['"]/.test(word) || !/[;&|<>`$(){}*?~\n\\]/.test(word));
  return isPlain ? words.map((word) => word.replace(/^(['"])([\s\S]*)\1$/, "$2")) : null;
}

function parseReader(name: string, given: readonly string[]): ShellRead | null {
  switch (name) {
    case "cat":
    case "nl":
      return parseSingleFile(
        given.filter((word) => !word.startsWith("-")),
        ALL_LINES,
      );
    case "head":
      return parseHead(given);
    case "tail":
      return parseSingleFile(splitCount(given).rest, null);
    case "sed":
      return parseSedRead(given);
    case "rg":
    case "grep":
      return matchRead(given);
    default:
      return null;
  }
}

function parseSingleFile(words: readonly string[], lines: LineRange | null): ShellRead | null {
  const [path, ...more] = words;
  return path === undefined || more.length > 0 ? null : { path, lines };
}

function parseHead(given: readonly string[]): ShellRead | null {
  const { count, rest } = splitCount(given);
  return count === null ? null : parseSingleFile(rest, { from: 1, to: count });
}

const DEFAULT_LINES = 10;

/**
 * Separates the line count (`-n 20`, `-n20` or `-20`) from the other words; `count` is null if the option is
 * not a line count.
 */
function splitCount(given: readonly string[]): {
  readonly count: number | null;
  readonly rest: readonly string[];
} {
  const rest = [...given];
  const at = rest.findIndex((word) => word.startsWith("-"));
  if (at < 0) return { count: DEFAULT_LINES, rest };
  const [option = ""] = rest.splice(at, 1);
  const value = option === "-n" ? rest.splice(at, 1)[0] : /^-n?(\d+)$/.exec(option)?.[1];
  const count = Number(value);
  return { count: Number.isInteger(count) && count > 0 ? count : null, rest };
}

const SED_RANGE_PATTERN = /^(\d+)(?:,(\d+|\$))?p$/;

function parseSedRead(given: readonly string[]): ShellRead | null {
  const [option, range, ...files] = given;
  const [, from, to = from] = (option === "-n" && SED_RANGE_PATTERN.exec(range ?? "")) || [];
  if (from === undefined) return null;
  const last = to === "$" ? Number.POSITIVE_INFINITY : Number(to);
  return parseSingleFile(files, { from: Number(from), to: last });
}

/**
 * Recognises a read by its words. Options that take a word are refused, as that word would pass for a file.
 */
function matchRead(given: readonly string[]): ShellRead | null {
  const options = given.filter((word) => word.startsWith("-"));
  if (options.some((word) => !/^-[niwFEPHhSs]+$/.test(word))) return null;
  const [, ...files] = given.filter((word) => !word.startsWith("-"));
  const read = parseSingleFile(files, null);
  return read !== null && /\.[A-Za-z0-9]+$/.test(read.path) ? read : null;
}

export type Subject =
  /** `lines` is null if the call selects them by their content. */
  | { readonly kind: "read"; readonly path: string; readonly lines: LineRange | null }
  /** `whole` if the call's arguments hold the file's entire new content. */
  | {
      readonly kind: "change";
      readonly paths: readonly string[];
      readonly extent: "whole" | "part";
    }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "todos" }
  /** Text that the model works by, so it stays as instructions do. */
  | { readonly kind: "skill"; readonly name: string }
  /** A search, a listing, a page, a subagent's work or a server's tool, identified by its arguments alone. */
  | { readonly kind: "other" };

/** Classifies by the arguments of the host's tools (OpenCode 1.18.33); other calls are compared by theirs. */
export function classifySubject({ tool, state }: ToolPart): Subject {
  const input = toFields(state.input);
  switch (classifyTool(tool)) {
    case "read":
      return toReadSubject(input);
    case "write":
      return toChangeSubject(readPaths(input), "whole");
    case "edit":
      return toChangeSubject(readPaths(input), "part");
    case "run":
      return toRunSubject(input);
    case "todos written":
    case "todos read":
      return { kind: "todos" };
    case "skill":
      return { kind: "skill", name: typeof input.name === "string" ? input.name : "" };
    case "look":
    case "question":
    case "plan handed over":
    case "other":
      return { kind: "other" };
  }
}

/** Returns the same key for calls of one tool with equal arguments, in any order. */
export function buildCallKey({ tool, state }: ToolPart): string {
  // A command's description doesn't change what the call does.
  const { description: _why, ...input } = toFields(state.input);
  return `${tool} ${toCanonicalJson(classifyTool(tool) === "run" ? input : toFields(state.input))}`;
}

function toReadSubject(input: UnknownFields): Subject {
  const [path] = readPaths(input);
  if (path === undefined) return { kind: "other" };
  const from = typeof input.offset === "number" ? Math.max(1, input.offset) : 1;
  const to = typeof input.limit === "number" ? from + input.limit - 1 : Number.POSITIVE_INFINITY;
  return { kind: "read", path, lines: { from, to } };
}

function toRunSubject({ command, workdir }: UnknownFields): Subject {
  if (typeof command !== "string") return { kind: "other" };
  const read = parseShellRead(command);
  if (read === null) return { kind: "run", command: command.trim() };
  const { path, lines } = read;
  const isWithin =
    typeof workdir === "string" && workdir !== "" && !isAbsolute(normalizePath(path));
  return { kind: "read", path: normalizePath(isWithin ? `${workdir}/${path}` : path), lines };
}

function toChangeSubject(paths: readonly string[], extent: "whole" | "part"): Subject {
  return paths.length === 0 ? { kind: "other" } : { kind: "change", paths, extent };
}

const PATCHED_FILE_PATTERN = /^\*\*\* (?:Add|Update|Delete|Move to)(?: File)?: (.+)$/gm;

function readPaths({ filePath, patchText }: UnknownFields): readonly string[] {
  if (typeof filePath === "string" && filePath !== "") return [normalizePath(filePath)];
  if (typeof patchText !== "string") return [];
  return [...patchText.matchAll(PATCHED_FILE_PATTERN)].map(([, path = ""]) =>
    normalizePath(path.trim()),
  );
}

/**
 * Returns the subject with absolute paths for files in `directory`, to which a shell's paths are relative.
 */
export function resolveSubject(subject: Subject, directory: string): Subject {
  switch (subject.kind) {
    case "read":
      return isAbsolute(subject.path)
        ? subject
        : { ...subject, path: toAbsolute(subject.path, directory) };
    case "change":
      return subject.paths.every(isAbsolute)
        ? subject
        : { ...subject, paths: subject.paths.map((path) => toAbsolute(path, directory)) };
    case "run":
    case "todos":
    case "skill":
    case "other":
      return subject;
  }
}

function toAbsolute(path: string, directory: string): string {
  return isAbsolute(path) ? path : `${normalizePath(directory).replace(/\/$/, "")}/${path}`;
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(path);
}

/** Normalises a path, as models write it sometimes with and sometimes without a leading `./`. */
function normalizePath(path: string): string {
  return path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
}
