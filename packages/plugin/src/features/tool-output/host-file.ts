// Recovers from the host's file what the host cut from an output.
import { basename, dirname } from "node:path";
import { toFields } from "../../context/fields.ts";
import type { OutputLimits } from "../../feature-api/feature-context.ts";
import { type OpenFile, threadDisk, withOpenFile } from "../../sources/read-file.ts";
import { byteLength, fitsLimits } from "./limits.ts";
import type { PreviewText } from "./preview.ts";

// Separates an output that the host cut from the host's notice.

/** What is left of a text after the host's cut, without the host's notice. */
type HostCut =
  /** For shell output, the end is kept; `closing` is the host's own note, which is not in the file. */
  | { readonly kind: "tail"; readonly tail: string; readonly closing: string }
  /** For any other tool's output, the beginning is kept. */
  | { readonly kind: "head"; readonly head: string };

const SHELL_NOTE = "\n\n<shell_metadata>\n";
const SHELL_NOTE_END = "\n</shell_metadata>";
const TRUNCATION_NOTE_PATTERN = /([\s\S]*)\n\n\.\.\.\d+ (?:bytes|lines) truncated\.\.\.$/;

/**
 * Lists the possible readings of an output that the host cut, likeliest first: a command may print text like
 * the host's note, so only the file shows which reading is right. Returns none if the host's notice with this
 * path is not where the host puts it.
 */
export function findHostCuts(output: string, path: string): readonly HostCut[] {
  const shell = `...output truncated...\n\nFull output saved to: ${path}\n\n`;
  if (output.startsWith(shell)) return findShellCuts(output.slice(shell.length));
  const said = `\n\nThe tool call succeeded but the output was truncated. Full output saved to: ${path}\n`;
  const at = output.lastIndexOf(said);
  if (at === -1) return [];
  const advice = output.slice(at + said.length);
  const head = TRUNCATION_NOTE_PATTERN.exec(output.slice(0, at))?.[1];
  // Text after the host's one line of advice is not the host's.
  if (head === undefined || !advice.startsWith("Use ") || advice.includes("\n")) return [];
  return [{ kind: "head", head }];
}

function findShellCuts(rest: string): readonly HostCut[] {
  const at = rest.endsWith(SHELL_NOTE_END) ? rest.lastIndexOf(SHELL_NOTE) : -1;
  const readings = at === -1 ? [rest.length] : [at, rest.length];
  return readings.map((end) => ({
    kind: "tail",
    tail: toShownText(rest.slice(0, end)),
    closing: rest.slice(end),
  }));
}

/** Returns what is shown of the file: nothing if a finished last line exceeds the limit by itself. */
function toShownText(said: string): string {
  return said === "(no output)" ? "" : said;
}

/** Counts the bytes of the file that show whether the cut was read correctly. */
function countCutBytes(cut: HostCut): number {
  return byteLength(cut.kind === "head" ? cut.head : cut.tail);
}

/**
 * Recovers from the host's file the text that the host cut out of a tool's output.
 * @param path the host's `metadata.outputPath`; a file elsewhere is not read, whoever named it
 * @returns null if the output is not the host's own cut of that file
 */
export async function recoverOutput(
  output: string,
  path: string,
  folder: string,
  limits: OutputLimits,
): Promise<PreviewText | null> {
  const cuts = findHostCuts(output, path);
  if (dirname(path) !== folder || !basename(path).startsWith("tool_")) return null;
  const bytes = Math.max(limits.maxBytes, ...cuts.map(countCutBytes));
  const reading = withOpenFile(path, "itself", threadDisk, (file) => readEnds(file, bytes));
  // The file was removed, or may not be read by us: only the host's own cut is left.
  const ends = await reading.catch(() => null);
  if (ends === null || typeof ends === "string") return null;
  const cut = cuts.find((candidate) => matchesFile(candidate, ends));
  return cut ? addClosing(ends, cut) : null;
}

/** If `whole` is true, head and tail are the same text. */
interface FileEnds extends PreviewText {
  readonly whole: boolean;
}

function matchesFile(cut: HostCut, { head, tail }: FileEnds): boolean {
  return cut.kind === "head" ? head.startsWith(cut.head) : tail.endsWith(cut.tail);
}

function addClosing({ head, tail, totalBytes, whole }: FileEnds, cut: HostCut): PreviewText {
  const closing = cut.kind === "tail" ? cut.closing : "";
  return {
    head: whole ? head + closing : head,
    tail: tail + closing,
    totalBytes: totalBytes + byteLength(closing),
  };
}

/** The first and the last bytes of a file, in whole code points. */
async function readEnds({ identity, read }: OpenFile, bytes: number): Promise<FileEnds> {
  const size = Number(identity.size);
  if (size <= 2 * bytes) {
    const text = createDecoder().decode(await read(0, size));
    return { head: text, tail: text, totalBytes: size, whole: true };
  }
  const tail = await read(size - bytes, bytes);
  return {
    // The head is decoded as part of a stream, so a code point that the window cuts off is left out.
    head: createDecoder().decode(await read(0, bytes), { stream: true }),
    tail: createDecoder().decode(tail.subarray(findCodePointStart(tail))),
    totalBytes: size,
    whole: false,
  };
}

function createDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { ignoreBOM: true });
}

/** Skips the rest of a code point that the window cuts off, which has at most three further bytes. */
function findCodePointStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start] ?? 0)) start += 1;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

// Shortens a page of the read tool to as many lines as fit.

/** The report of the host's read tool about the page of a file that it read. */
interface FilePage {
  readonly path: string;
  readonly lines: readonly string[];
  /** The first line's number, counted from 1. */
  readonly first: number;
}

/**
 * Shortens a page of the read tool that is over the limit: returns as many of its lines as fit, and the
 * offset to go on at. The host fills a page up to its limit before it adds line numbers and a frame. A cut in
 * the page's middle would make reading on impossible, and the file itself is the complete text.
 * @returns null if this is not a page of that tool, or not even one line fits
 */
export function shortenPage(
  output: string,
  metadata: unknown,
  limits: OutputLimits,
): string | null {
  const page = parsePage(metadata);
  if (!page) return null;
  const { path, lines, first } = page;
  const numbered = lines.map((line, index) => `${first + index}: ${line}`);
  const front = `<path>${path}</path>\n<type>file</type>\n<content>\n`;
  const body = numbered.join("\n");
  if (!output.startsWith(front + body)) return null;
  const rest = /^\n\n\([^\n]*\)(\n<\/content>[\s\S]*)/.exec(
    output.slice(front.length + body.length),
  )?.[1];
  if (rest === undefined) return null;
  const renderPage = (count: number) => {
    const last = first + count - 1;
    const note = `(Output capped. Showing lines ${first}-${last}. Use offset=${last + 1} to continue.)`;
    return `${front}${numbered.slice(0, count).join("\n")}\n\n${note}${rest}`;
  };
  const count = findMaxLines(lines.length, (tried) => fitsLimits(renderPage(tried), limits));
  return count === 0 ? null : renderPage(count);
}

/** Finds the largest count that fits; a larger one never fits if a smaller one doesn't. */
function findMaxLines(total: number, fitting: (count: number) => boolean): number {
  let low = 0;
  let high = total;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fitting(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function parsePage(metadata: unknown): FilePage | null {
  const display = toFields(toFields(metadata).display);
  if (display.type !== "file") return null;
  const { path, text, lineStart } = display;
  if (typeof path !== "string" || typeof text !== "string" || typeof lineStart !== "number") {
    return null;
  }
  return { path, lines: text.split("\n"), first: lineStart };
}
