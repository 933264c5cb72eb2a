// Shortens long texts to their beginning and end, and finds the closing answers that are due for that.
import { hasSentContent, isText, type TextPart } from "../ledger/message.ts";
import { estimateTokens } from "../ledger/tokens.ts";
import {
  type Candidate,
  type CandidateInput,
  isLossAllowed,
  MIN_SAVED_TOKENS,
} from "./candidate.ts";
import { countCallsBeyond, type MeasuredRow } from "./measured-history.ts";
import { isClosingAnswer } from "./results.ts";
import { type RetrievalTool, renderRetrievalHint } from "./stub.ts";
import { clipText, findFirstSentence, trimTrailingSurrogate } from "./words.ts";

/** The most characters of each of the two paragraphs that stay. */
const PARAGRAPH_CHARS = 500;
const MAX_HEADINGS = 12;
const MAX_HEADING_CHARS = 100;

/** Returns the first and last paragraphs, and the beginnings of headings and lists between them. Never empty. */
export function shortenAnswer(text: string, partId: string, wayBack: RetrievalTool): string {
  const words = text.trim();
  const gaps = [...words.matchAll(/\n[ \t]*\n\s*/g)];
  const [from, to] = [gaps[0]?.index ?? words.length, findGapEnd(gaps.at(-1))];
  const firstEnd = from <= PARAGRAPH_CHARS ? from : findHeadEnd(words);
  const lastStart = Math.max(
    firstEnd,
    words.length - to <= PARAGRAPH_CHARS ? to : findTailStart(words),
  );
  const between = words.slice(firstEnd, lastStart);
  if (between.trim() === "") return words;
  const first = `${words.slice(0, firstEnd)}${firstEnd < from ? "…" : ""}`;
  const last = `${lastStart > to ? "…" : ""}${words.slice(lastStart)}`;
  const said = `[${between.length} characters are not shown here${renderRetrievalHint(partId, wayBack, "them")}]`;
  return [first, ...findHeadings(between), said, last].join("\n");
}

const SENTENCE_CHARS = 160;

/** Returns one sentence of an answer, used if there is space for no more. Never empty. */
export function shortenToSentence(text: string, partId: string, wayBack: RetrievalTool): string {
  const sentence = clipText(findFirstSentence(text) || text.trim(), SENTENCE_CHARS);
  return `${sentence} [the rest of this answer is not shown here${renderRetrievalHint(partId, wayBack, "it")}]`;
}

function findGapEnd(gap: RegExpExecArray | undefined): number {
  return gap === undefined ? 0 : gap.index + gap[0].length;
}

/** Finds the end of the longest beginning that does not cut a word. */
function findHeadEnd(words: string): number {
  const end = words.lastIndexOf(" ", PARAGRAPH_CHARS);
  return end > PARAGRAPH_CHARS / 2
    ? end
    : trimTrailingSurrogate(words.slice(0, PARAGRAPH_CHARS)).length;
}

/** Finds the start of the longest ending that does not cut a word. */
function findTailStart(words: string): number {
  const least = words.length - PARAGRAPH_CHARS;
  const from = words.indexOf(" ", least) + 1;
  if (from > 0 && from < least + PARAGRAPH_CHARS / 2) return from;
  return /^[\uDC00-\uDFFF]/.test(words.slice(least)) ? least + 1 : least;
}

const HEADING_LINE_PATTERN = /^[ \t]*(?:#{1,6}|[-*+]|\d{1,3}[.)])[ \t]+\S/;

function findHeadings(between: string): readonly string[] {
  return between
    .split("\n")
    .filter((line) => HEADING_LINE_PATTERN.test(line))
    .slice(0, MAX_HEADINGS)
    .map((line) =>
      line.length <= MAX_HEADING_CHARS
        ? line
        : `${trimTrailingSurrogate(line.slice(0, MAX_HEADING_CHARS))}…`,
    );
}

// Finds closing answers to shorten: long old ones, and the oldest if all words together are too many.

/**
 * The newest closing answers stay whole up to `wholeTokens`; older ones longer than `leastTokens` are shortened.
 */
const CLOSING_BOUNDS = { wholeTokens: 1_200, leastTokens: 500 } as const;

/**
 * Prompts and closing answers may take this share of a window; beyond it the oldest answers shrink to a
 * sentence.
 */
const DIALOGUE_WINDOW_SHARE = 1 / 5;

/** Lists closing answers beyond the tail to shorten, the newest first. */
export function listShortenedClosings(input: CandidateInput): readonly Candidate[] {
  const brief = listBriefClosings(input);
  const known = new Set(brief.map(({ partId }) => partId));
  return [...listLongClosings(input).filter(({ partId }) => !known.has(partId)), ...brief];
}

function listLongClosings(input: CandidateInput): readonly Candidate[] {
  if (!isLossAllowed(input)) return [];
  const found: Candidate[] = [];
  let wholeTokens = 0;
  for (const row of input.sheet.rows.toReversed()) {
    if (row.kind !== "own" || !isClosingAnswer(row.message)) continue;
    wholeTokens += row.tokens;
    if (wholeTokens <= CLOSING_BOUNDS.wholeTokens || row.tokens < CLOSING_BOUNDS.leastTokens)
      continue;
    found.push(...shrinkClosing(input, row, shortenAnswer));
  }
  return found;
}

/** Lists as many of the oldest answers as it takes to bring the words back within their share. */
function listBriefClosings(input: CandidateInput): readonly Candidate[] {
  const { sheet, usableTokens } = input;
  if (usableTokens === null) return [];
  let overTokens = countDialogueTokens(sheet.rows) - DIALOGUE_WINDOW_SHARE * usableTokens;
  const found: Candidate[] = [];
  for (const row of sheet.rows) {
    if (overTokens <= 0) break;
    if (row.kind !== "own" || !isClosingAnswer(row.message)) continue;
    const candidates = shrinkClosing(input, row, shortenToSentence);
    found.push(...candidates);
    overTokens -= candidates.reduce((sum, { saves }) => sum + saves, 0);
  }
  return found;
}

function countDialogueTokens(rows: readonly MeasuredRow[]): number {
  return rows
    .filter(({ kind, message }) => kind === "own" && isTextOnly(message))
    .reduce((sum, { tokens }) => sum + tokens, 0);
}

function isTextOnly(message: MeasuredRow["message"]): boolean {
  return message.info.role === "user" || isClosingAnswer(message);
}

function shrinkClosing(
  { sheet, keepTokens, settings: { wayBack } }: CandidateInput,
  row: MeasuredRow,
  say: typeof shortenAnswer,
): readonly Candidate[] {
  if (sheet.totalTokens - row.end < keepTokens) return [];
  const parts = row.message.parts.filter(isText).filter(hasSentContent);
  return parts.flatMap((part: TextPart) => {
    const text = say(part.text, part.id, wayBack);
    const saves = estimateTokens(part.text) - estimateTokens(text);
    if (saves < MIN_SAVED_TOKENS) return [];
    const at = { messageId: row.message.info.id, partId: part.id };
    const edits = [{ verb: "replace", at, text } as const];
    const calls = countCallsBeyond(sheet, row.end, keepTokens);
    return [{ partId: part.id, edits, saves, calls, dropReason: "shortened" as const }];
  });
}
