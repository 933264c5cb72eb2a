// Recognises shell commands that read one file, which count as a read of it.
import type { Lines } from "./lines.ts";

/** A file that a command shows: its lines, or null where it selects them by their content. */
export interface ShellRead {
  readonly path: string;
  readonly lines: Lines | null;
}

const ALL: Lines = { from: 1, to: Number.POSITIVE_INFINITY };

/** Recognises a read; null: the command does something else, or names more than one file. */
export function parseShellRead(command: string): ShellRead | null {
  const { folder, rest } = withoutFolder(command.trim().replace(/\s+2>\s*\/dev\/null$/, ""));
  const words = parseShellWords(rest);
  if (words === null) return null;
  const [name, ...given] = words;
  const read = parseReader(name ?? "", given);
  return read && { ...read, path: joinPath(folder, read.path) };
}

function withoutFolder(command: string): { readonly folder: string; readonly rest: string } {
  const [, folder = "", rest = command] =
    /^cd\s+([^\s;&|'"$]+)\s*&&\s*([\s\S]+)$/.exec(command) ?? [];
  return { folder, rest };
}

function joinPath(folder: string, path: string): string {
  return folder === "" || path.startsWith("/") ? path : `${folder.replace(/\/$/, "")}/${path}`;
}

/** Splits plain and quoted words; null where a shell would do more than call one program. */
function parseShellWords(command: string): readonly string[] | null {
  const words = command.match(/'[^']*'|"[^"$`\\]*"|[^\s'"]+/g) ?? [];
  const isPlain = words.every((word) => /^['"]/.test(word) || !/[;&|<>`$(){}*?~\n\\]/.test(word));
  return isPlain ? words.map((word) => word.replace(/^(['"])([\s\S]*)\1$/, "$2")) : null;
}

function parseReader(name: string, given: readonly string[]): ShellRead | null {
  switch (name) {
    case "cat":
    case "nl":
      return onlyFile(
        given.filter((word) => !word.startsWith("-")),
        ALL,
      );
    case "head":
      return headRead(given);
    case "tail":
      return onlyFile(withoutCount(given).rest, null);
    case "sed":
      return parseSedRead(given);
    case "rg":
    case "grep":
      return matchRead(given);
    default:
      return null;
  }
}

function onlyFile(words: readonly string[], lines: Lines | null): ShellRead | null {
  const [path, ...more] = words;
  return path === undefined || more.length > 0 ? null : { path, lines };
}

function headRead(given: readonly string[]): ShellRead | null {
  const { count, rest } = withoutCount(given);
  return count === null ? null : onlyFile(rest, { from: 1, to: count });
}

const DEFAULT_LINES = 10;

/** Takes the count out of `-n 20`, `-n20` or `-20`; null: it counts something else. */
function withoutCount(given: readonly string[]): {
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

const SED_RANGE = /^(\d+)(?:,(\d+|\$))?p$/;

function parseSedRead(given: readonly string[]): ShellRead | null {
  const [option, range, ...files] = given;
  const [, from, to = from] = (option === "-n" && SED_RANGE.exec(range ?? "")) || [];
  if (from === undefined) return null;
  const last = to === "$" ? Number.POSITIVE_INFINITY : Number(to);
  return onlyFile(files, { from: Number(from), to: last });
}

/** Recognises a read by its words. Options that take a word are refused, as it would pass for a file. */
function matchRead(given: readonly string[]): ShellRead | null {
  const options = given.filter((word) => word.startsWith("-"));
  if (options.some((word) => !/^-[niwFEPHhSs]+$/.test(word))) return null;
  const [, ...files] = given.filter((word) => !word.startsWith("-"));
  const read = onlyFile(files, null);
  return read !== null && /\.[A-Za-z0-9]+$/.test(read.path) ? read : null;
}
