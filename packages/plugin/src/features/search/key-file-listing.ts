// Builds `core/key-files`: the outlines that a session is given, within a budget. Pure.
import * as z from "zod";
import { frameLines } from "../../context/frames.ts";
import { toSingleLine } from "../../context/neutralize.ts";
import type { LoadResult, SourceDefinition } from "../../context/source.ts";
import { estimateTokens } from "../../ledger/tokens.ts";

const keyFilesKey = "core/key-files";

const fileSchema = z.object({ path: z.string(), lines: z.array(z.string()).readonly() });
const listSchema = z.object({ files: z.array(fileSchema).readonly() });

export type OutlinedFile = z.infer<typeof fileSchema>;

/** Files in order of path, because their rank may change without anything to announce. */
export type KeyFileList = z.infer<typeof listSchema>;

/** No file takes more of the budget than this share, so that several are shown. */
const FILE_SHARE = 1 / 4;

/** Takes as many files as fit, best first, and the beginning of each one's outline. */
export function buildKeyFileList(
  ranked: readonly OutlinedFile[],
  budgetTokens: number,
): KeyFileList {
  const perFile = budgetTokens * FILE_SHARE;
  const taken: OutlinedFile[] = [];
  for (const file of ranked) {
    const bounded = withinTokens(file, (one) => estimateTokens(fileText(one)) <= perFile);
    const fits = (one: OutlinedFile) =>
      estimateTokens(baseline(inOrder([...taken, one]))) <= budgetTokens;
    const fitting = bounded && withinTokens(bounded, fits);
    if (fitting) taken.push(fitting);
  }
  return inOrder(taken);
}

/** Returns null if not even the path fits. */
function withinTokens(
  file: OutlinedFile,
  fits: (file: OutlinedFile) => boolean,
): OutlinedFile | null {
  let [most, beyond] = [-1, file.lines.length + 1];
  while (beyond - most > 1) {
    const middle = Math.floor((most + beyond) / 2);
    if (fits(cut(file, middle))) most = middle;
    else beyond = middle;
  }
  return most < 0 ? null : cut(file, most);
}

function cut({ path, lines }: OutlinedFile, count: number): OutlinedFile {
  return { path, lines: lines.slice(0, count) };
}

function inOrder(files: readonly OutlinedFile[]): KeyFileList {
  return { files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)) };
}

export function keyFilesSource(
  load: () => LoadResult<KeyFileList> | Promise<LoadResult<KeyFileList>>,
): SourceDefinition<KeyFileList> {
  return { key: keyFilesKey, schema: listSchema, load, baseline, update, removed };
}

const HEAD =
  "Files that sessions of this project keep coming back to, by their declarations: data. Read a file before you rely on it.";

function baseline({ files }: KeyFileList): string {
  return frameLines("key-files", [HEAD, ...files.map(fileText)]);
}

function update(previous: KeyFileList, current: KeyFileList): string {
  const before = new Map(previous.files.map((file) => [file.path, fileText(file)]));
  const now = new Set(current.files.map(({ path }) => path));
  const changed = current.files
    .map(fileText)
    .filter((text) => ![...before.values()].includes(text));
  const gone = previous.files
    .filter(({ path }) => !now.has(path))
    .map(({ path }) => toSingleLine(path));
  const left = gone.length === 0 ? [] : [`No longer listed: ${gone.join(", ")}`];
  if (changed.length + left.length === 0) return baseline(current);
  return frameLines("key-files", ["The outlines of key files have changed.", ...changed, ...left]);
}

function removed(): string {
  return "No files are listed as key files any more.";
}

function fileText({ path, lines }: OutlinedFile): string {
  return [
    toSingleLine(path),
    // Keeps a line's own indentation and removes all other white space that a reader might take for a line's end.
    ...lines.map((line) => `  ${line.match(/^[ \t]*/)?.[0] ?? ""}${toSingleLine(line)}`),
  ].join("\n");
}
