// Pastes in what a user wrote: long blocks of logs, code or tables, which shrink to their ends.
import { estimateTokens } from "../projection/tokens.ts";
import { backTo } from "./shortened.ts";
import type { WayBack } from "./stub.ts";
import { wholePairs } from "./words.ts";

/** A shorter block stays: it may be what the prompt is about. */
const LEAST_TOKENS = 800;
const HEAD_LINES = 8;
const TAIL_LINES = 5;
const LINE_CHARS = 300;

/** The text with its pastes by their ends; null where it has none. The sentences around them stay. */
export function withoutPastes(text: string, partId: string, wayBack: WayBack): string | null {
  const lines = text.split("\n");
  const blocks = blocksIn(lines).filter(
    ({ from, to }) => estimateTokens(lines.slice(from, to).join("\n")) >= LEAST_TOKENS,
  );
  if (blocks.length === 0) return null;
  let at = 0;
  const said: string[] = [];
  for (const { from, to } of blocks) {
    said.push(...lines.slice(at, from), ...byItsEnds(lines.slice(from, to), partId, wayBack));
    at = to;
  }
  return [...said, ...lines.slice(at)].join("\n");
}

/** What the host or a command put beside the user's words goes as one paste. */
export function attachedByItsEnds(text: string, partId: string, wayBack: WayBack): string | null {
  if (estimateTokens(text) < LEAST_TOKENS) return null;
  return byItsEnds(text.split("\n"), partId, wayBack).join("\n");
}

function byItsEnds(lines: readonly string[], partId: string, wayBack: WayBack): readonly string[] {
  const head = lines.slice(0, HEAD_LINES).map(clipped);
  const tail = lines.slice(Math.max(HEAD_LINES, lines.length - TAIL_LINES)).map(clipped);
  const left = Math.max(0, lines.length - HEAD_LINES - TAIL_LINES);
  const size = left > 0 ? `${left} lines of this are` : "the rest of these lines is";
  const them = backTo(partId, wayBack).replace("shows them", left > 0 ? "shows them" : "shows it");
  return [...head, `[${size} not shown here${them}]`, ...tail];
}

function clipped(line: string): string {
  return line.length <= LINE_CHARS ? line : `${wholePairs(line.slice(0, LINE_CHARS))}…`;
}

interface Block {
  readonly from: number;
  /** Index of the first line after it. */
  readonly to: number;
}

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})/;

/** Fenced blocks without their fences, and runs of lines that nobody writes as prose. */
function blocksIn(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const [, fence] = FENCE.exec(lines[at] ?? "") ?? [];
    const to = fence === undefined ? runEnd(lines, at) : fenceEnd(lines, at + 1, fence);
    const from = fence === undefined ? at : at + 1;
    if (to > from) blocks.push({ from, to });
    at = Math.max(at + 1, fence === undefined ? to : to + 1);
  }
  return blocks;
}

function fenceEnd(lines: readonly string[], from: number, fence: string): number {
  const end = lines.findIndex((line, index) => index >= from && line.trim().startsWith(fence));
  return end < 0 ? lines.length : end;
}

/** The end of a run of machine's lines; blank ones in it belong to it. */
function runEnd(lines: readonly string[], from: number): number {
  let end = from;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? "";
    if (line.trim() === "") continue;
    if (FENCE.test(line) || !isMachines(line)) break;
    end = index + 1;
  }
  return end;
}

const BEGINS =
  /^(?:\d{4}-\d\d|\d\d:\d\d|\[|[+-]{1,3}(?:\s|\S)|@@|diff |index |\||>|#\d|\s+at |Traceback|\s*File "|\t| {2,}\S|[A-Z]+\s+\[)/;
const SIGNS = /[=:;{}()<>/\\|_[\]"'`#$%&*+~^0-9]/g;
const SIGN_SHARE = 0.12;
const SENTENCE =
  /^\s*(?:[-*+]\s+|\d{1,2}[.)]\s+)?\p{L}[\p{L}'’,;-]*(?:\s+[\p{L}\p{N}'’"“”`/_.,;:()-]+){3,}[.!?:。！？]?\s*$/u;

/** Whether a line is a log's, a trace's, a diff's, a table's or code. In doubt it is the user's. */
function isMachines(line: string): boolean {
  const signs = line.match(SIGNS)?.length ?? 0;
  const share = signs / Math.max(1, line.trim().length);
  if (SENTENCE.test(line) && share < SIGN_SHARE) return false;
  return BEGINS.test(line) || share >= SIGN_SHARE;
}
