// Shortens pastes in a user's text (long blocks of logs, code or tables) to their beginning and end.
import { estimateTokens } from "../ledger/tokens.ts";
import { type RetrievalTool, renderRetrievalHint } from "./stub.ts";
import { trimTrailingSurrogate } from "./words.ts";

/** A shorter block stays, since it may be what the prompt is about. */
const MIN_PASTE_TOKENS = 800;
const HEAD_LINES = 8;
const TAIL_LINES = 5;
const MAX_LINE_CHARS = 300;

/** Returns the text with its pastes cut to their ends, and all else whole; null if it has no paste. */
export function shortenPastes(text: string, partId: string, wayBack: RetrievalTool): string | null {
  const lines = text.split("\n");
  const blocks = findBlocks(lines).filter(
    ({ from, to }) => estimateTokens(lines.slice(from, to).join("\n")) >= MIN_PASTE_TOKENS,
  );
  if (blocks.length === 0) return null;
  let at = 0;
  const said: string[] = [];
  for (const { from, to } of blocks) {
    said.push(...lines.slice(at, from), ...shortenToEnds(lines.slice(from, to), partId, wayBack));
    at = to;
  }
  return [...said, ...lines.slice(at)].join("\n");
}

/** Shortens a text that the host or a command added to the user's words, treating it as one paste. */
export function shortenAttached(
  text: string,
  partId: string,
  wayBack: RetrievalTool,
): string | null {
  if (estimateTokens(text) < MIN_PASTE_TOKENS) return null;
  return shortenToEnds(text.split("\n"), partId, wayBack).join("\n");
}

function shortenToEnds(
  lines: readonly string[],
  partId: string,
  wayBack: RetrievalTool,
): readonly string[] {
  const head = lines.slice(0, HEAD_LINES).map(clipLine);
  const tail = lines.slice(Math.max(HEAD_LINES, lines.length - TAIL_LINES)).map(clipLine);
  const left = Math.max(0, lines.length - HEAD_LINES - TAIL_LINES);
  const size = left > 0 ? `${left} lines of this are` : "the rest of these lines is";
  const back = renderRetrievalHint(partId, wayBack, left > 0 ? "them" : "it");
  return [...head, `[${size} not shown here${back}]`, ...tail];
}

function clipLine(line: string): string {
  return line.length <= MAX_LINE_CHARS
    ? line
    : `${trimTrailingSurrogate(line.slice(0, MAX_LINE_CHARS))}…`;
}

interface PastedBlock {
  readonly from: number;
  /** The index of the first line after the block. */
  readonly to: number;
}

const FENCE_PATTERN = /^[ \t]{0,3}(`{3,}|~{3,})/;

/** Finds fenced blocks without their fences, and runs of lines that nobody writes as prose. */
function findBlocks(lines: readonly string[]): readonly PastedBlock[] {
  const blocks: PastedBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    const fenced = findFenceEnd(lines, at);
    const from = fenced === null ? at : at + 1;
    const to = fenced ?? findRunEnd(lines, at);
    if (to > from) blocks.push({ from, to });
    at = Math.max(at + 1, fenced === null ? to : to + 1);
  }
  return blocks;
}

/** Finds the line that closes the fence beginning here; null if none begins here or it is never closed. */
function findFenceEnd(lines: readonly string[], at: number): number | null {
  const [, fence] = FENCE_PATTERN.exec(lines[at] ?? "") ?? [];
  if (fence === undefined) return null;
  const end = lines.findIndex((line, index) => index > at && line.trim().startsWith(fence));
  return end < 0 ? null : end;
}

/** Finds the end of a run of machine-made lines, including blank ones between them. */
function findRunEnd(lines: readonly string[], from: number): number {
  let end = from;
  if (lines[from]?.trim() === "") return end;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? "";
    if (line.trim() === "") continue;
    if (findFenceEnd(lines, index) !== null || !isMachineLine(line)) break;
    end = index + 1;
  }
  return end;
}

/** Matches lines that begin as only programs begin them: times, levels, diffs, tables, traces. */
const MACHINE_LINE_PATTERN =
  /^(?:\d{4}-\d\d|\d\d:\d\d|\[|[+-]{3}\s|@@|diff |index |\||#\d|\s+at |Traceback|\s*File "|[A-Z]+\s+\[)/;
/** Matches unbroken text, which is data or code that nobody reads. */
const UNBROKEN_RUN_PATTERN = /[!-~]{200}/;
const COLUMNS_PATTERN = /\S(?: {2,}|\t)\S.*\S(?: {2,}|\t)\S/;
/** Matches beginnings that users also give to a list, an example or a quotation. */
const SET_OFF_LINE = /^(?:[+->]|\t| {2,}\S)/;
const SYMBOL_PATTERN = /[=:;{}()<>/\\|_[\]"'`#$%&*+~^0-9]/g;
const MIN_SYMBOL_SHARE = 0.12;

/** Matches a line of a log, a trace, a diff, a table or code. In doubt the line is the user's. */
function isMachineLine(line: string): boolean {
  if (
    MACHINE_LINE_PATTERN.test(line) ||
    COLUMNS_PATTERN.test(line) ||
    UNBROKEN_RUN_PATTERN.test(line)
  )
    return true;
  return (
    !isProse(line) && (SET_OFF_LINE.test(line) || computeSymbolShare(line) >= MIN_SYMBOL_SHARE)
  );
}

const LIST_MARKER = /^\s*(?:>\s*)?(?:[-*+]\s+|\d{1,2}[.)]\s+)?/;
/** Matches a word with its quotes and punctuation. */
const WORD_PATTERN = /^["'“‘«(]?\p{L}[\p{L}'’-]*[.,;:!?)"'”’»]*$/u;
const SENTENCE_END_PATTERN = /[.!?…][)"'”’»]?$/;
/** Matches scripts that put no space between words. */
const UNSPACED_SCRIPT_PATTERN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu;
const MIN_PROSE_WORDS = 3;
const MIN_SENTENCE_WORDS = 2;

/** Returns true if the line consists of words, alone or around names, paths and figures. */
function isProse(line: string): boolean {
  const [marker = ""] = LIST_MARKER.exec(line) ?? [];
  const said = line.slice(marker.length).trim();
  if ((said.match(UNSPACED_SCRIPT_PATTERN)?.length ?? 0) >= MIN_PROSE_WORDS) return true;
  const all = said.split(/\s+/);
  const words = all.filter((word) => WORD_PATTERN.test(word)).length;
  if (!/^["'“‘«(]?\p{L}/u.test(said) || words < all.length / 2) return false;
  const isItem = marker.trim() !== "" && words === all.length;
  if (words < MIN_PROSE_WORDS)
    return words >= MIN_SENTENCE_WORDS && (isItem || SENTENCE_END_PATTERN.test(said));
  return SENTENCE_END_PATTERN.test(said) || computeSymbolShare(said) < MIN_SYMBOL_SHARE;
}

function computeSymbolShare(line: string): number {
  const signs = line.match(SYMBOL_PATTERN)?.length ?? 0;
  return signs / Math.max(1, line.trim().length);
}
