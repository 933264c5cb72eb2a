// Builds `core/key-files`: the outlines that a session is given, within a budget. Pure.
import * as z from "zod";
import { frameLines, toSingleLine } from "../../context/frames.ts";
import type { LoadResult, SourceDefinition } from "../../context/source.ts";
import { estimateTokens } from "../../ledger/tokens.ts";

// Outlines a file from its lines: for any language, without a grammar. Pure.

/** Matches the words that begin a declaration, or a heading of a document. */
const MODIFIERS_SOURCE =
  "(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|pub(?:\\([a-z]+\\))?|unsafe|override|sealed|open|virtual)";
const KEYWORDS_SOURCE =
  "(?:class|interface|enum|struct|trait|impl|type|namespace|module|mod|record|protocol|extension|object|def|fn|func|fun|function|sub|macro_rules!|const|let|var|val)";
const DECLARATION_PATTERN = new RegExp(
  `^(?:${MODIFIERS_SOURCE}\\s+)*${KEYWORDS_SOURCE}\\s+[\\w$*(<"'@{\\[]`,
);
const VALUE_DECLARATION_PATTERN = /^(?:\w+\s+)*(?:const|let|var|val)\s/;
const HEADING_PATTERN = /^#{1,3} \S/;
/** Members of a class are indented one step; deeper lines are a function's own. */
const MAX_INDENT_CHARS = 4;
const MAX_LINE_CHARS = 110;

export function outlinePlainText(text: string, isDocument: boolean): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const shown = line.trim();
    if (isDocument) return HEADING_PATTERN.test(line) ? [renderOutlineLine(shown, 0)] : [];
    const indent = line.replaceAll("\t", "    ").search(/\S/);
    if (indent < 0 || indent > MAX_INDENT_CHARS || !DECLARATION_PATTERN.test(shown)) return [];
    // Local variables of a function don't belong to a file's outline.
    if (indent > 0 && VALUE_DECLARATION_PATTERN.test(shown)) return [];
    return [renderOutlineLine(shown, indent === 0 ? 0 : 1)];
  });
}

/** Renders a declaration without its body, on one line. */
export function renderOutlineLine(declaration: string, depth: 0 | 1): string {
  const line = declaration
    .replace(/\s+/g, " ")
    .replace(/\s*(?:[{:=]|=>|\bdo)\s*$/, "")
    .trim();
  const bounded = line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS - 1)}…`;
  return `${depth === 0 ? "" : "  "}${bounded}`;
}

const keyFilesKey = "core/key-files";

const fileSchema = z.object({ path: z.string(), lines: z.array(z.string()).readonly() });
const listSchema = z.object({ files: z.array(fileSchema).readonly() });

export type OutlinedFile = z.infer<typeof fileSchema>;

/** Files in order of path, because their rank may change without anything to announce. */
export type KeyFileList = z.infer<typeof listSchema>;

/** No file takes more of the budget than this share, so that several are shown. */
const MAX_FILE_BUDGET_SHARE = 1 / 4;

/** Takes as many files as fit, best first, with the beginning of each file's outline. */
export function buildKeyFileList(
  ranked: readonly OutlinedFile[],
  budgetTokens: number,
): KeyFileList {
  const perFile = budgetTokens * MAX_FILE_BUDGET_SHARE;
  const taken: OutlinedFile[] = [];
  for (const file of ranked) {
    const bounded = fitOutline(file, (one) => estimateTokens(renderFile(one)) <= perFile);
    const fitsBudget = (one: OutlinedFile) =>
      estimateTokens(renderBaseline(sortFiles([...taken, one]))) <= budgetTokens;
    const fitting = bounded && fitOutline(bounded, fitsBudget);
    if (fitting) taken.push(fitting);
  }
  return sortFiles(taken);
}

/** Returns null if not even the path fits. */
function fitOutline(
  file: OutlinedFile,
  fits: (file: OutlinedFile) => boolean,
): OutlinedFile | null {
  let [most, beyond] = [-1, file.lines.length + 1];
  while (beyond - most > 1) {
    const middle = Math.floor((most + beyond) / 2);
    if (fits(cutLines(file, middle))) most = middle;
    else beyond = middle;
  }
  return most < 0 ? null : cutLines(file, most);
}

function cutLines({ path, lines }: OutlinedFile, count: number): OutlinedFile {
  return { path, lines: lines.slice(0, count) };
}

function sortFiles(files: readonly OutlinedFile[]): KeyFileList {
  return { files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)) };
}

export function createKeyFilesSource(
  load: () => LoadResult<KeyFileList> | Promise<LoadResult<KeyFileList>>,
): SourceDefinition<KeyFileList> {
  return {
    key: keyFilesKey,
    schema: listSchema,
    load,
    baseline: renderBaseline,
    update: renderUpdate,
    removed: renderRemovedNotice,
  };
}

const LISTING_HEAD =
  "Files that sessions of this project keep coming back to, by their declarations: data. Read a file before you rely on it.";

function renderBaseline({ files }: KeyFileList): string {
  return frameLines("key-files", [LISTING_HEAD, ...files.map(renderFile)]);
}

function renderUpdate(previous: KeyFileList, current: KeyFileList): string {
  const before = new Map(previous.files.map((file) => [file.path, renderFile(file)]));
  const now = new Set(current.files.map(({ path }) => path));
  const changed = current.files
    .map(renderFile)
    .filter((text) => ![...before.values()].includes(text));
  const gone = previous.files
    .filter(({ path }) => !now.has(path))
    .map(({ path }) => toSingleLine(path));
  const left = gone.length === 0 ? [] : [`No longer listed: ${gone.join(", ")}`];
  if (changed.length + left.length === 0) return renderBaseline(current);
  return frameLines("key-files", ["The outlines of key files have changed.", ...changed, ...left]);
}

function renderRemovedNotice(): string {
  return "No files are listed as key files any more.";
}

function renderFile({ path, lines }: OutlinedFile): string {
  return [
    toSingleLine(path),
    // Keeps a line's own indentation and removes all other white space that a reader might take for a line's end.
    ...lines.map((line) => `  ${line.match(/^[ \t]*/)?.[0] ?? ""}${toSingleLine(line)}`),
  ].join("\n");
}
