// Finds closing answers to shorten: long old ones, and the oldest where all words together are too many.
import { isText, shows, type TextPart } from "../ledger/message.ts";
import { estimateTokens } from "../ledger/tokens.ts";
import { type Candidate, type CandidateInput, MIN_SAVED_TOKENS, mayBeLost } from "./candidate.ts";
import { callsBeyond, type MeasuredRow } from "./measured-history.ts";
import { isClosing } from "./message-words.ts";
import { briefAnswer, shortenedAnswer } from "./shortened.ts";

/**
 * The newest closing answers stay whole up to `wholeTokens`; older ones longer than `leastTokens` are shortened.
 */
const CLOSINGS = { wholeTokens: 1_200, leastTokens: 500 } as const;

/**
 * Prompts and closing answers may take this share of a window; beyond it the oldest answers shrink to a
 * sentence.
 */
const WORDS_SHARE = 1 / 5;

/** Lists closing answers beyond the tail to shorten, the newest first. */
export function shrinkingClosings(input: CandidateInput): readonly Candidate[] {
  const brief = briefClosings(input);
  const known = new Set(brief.map(({ partId }) => partId));
  return [...listLongClosings(input).filter(({ partId }) => !known.has(partId)), ...brief];
}

function listLongClosings(input: CandidateInput): readonly Candidate[] {
  if (!mayBeLost(input)) return [];
  const found: Candidate[] = [];
  let wholeTokens = 0;
  for (const row of input.sheet.rows.toReversed()) {
    if (row.kind !== "own" || !isClosing(row.message)) continue;
    wholeTokens += row.tokens;
    if (wholeTokens <= CLOSINGS.wholeTokens || row.tokens < CLOSINGS.leastTokens) continue;
    found.push(...shrinkClosing(input, row, shortenedAnswer));
  }
  return found;
}

/** Lists the oldest answers, as many as bring the words back into their share. */
function briefClosings(input: CandidateInput): readonly Candidate[] {
  const { sheet, usableTokens } = input;
  if (usableTokens === null) return [];
  let overTokens = wordTokens(sheet.rows) - WORDS_SHARE * usableTokens;
  const found: Candidate[] = [];
  for (const row of sheet.rows) {
    if (overTokens <= 0) break;
    if (row.kind !== "own" || !isClosing(row.message)) continue;
    const candidates = shrinkClosing(input, row, briefAnswer);
    found.push(...candidates);
    overTokens -= candidates.reduce((sum, { saves }) => sum + saves, 0);
  }
  return found;
}

function wordTokens(rows: readonly MeasuredRow[]): number {
  return rows
    .filter(({ kind, message }) => kind === "own" && isWords(message))
    .reduce((sum, { tokens }) => sum + tokens, 0);
}

function isWords(message: MeasuredRow["message"]): boolean {
  return message.info.role === "user" || isClosing(message);
}

function shrinkClosing(
  { sheet, keepTokens, settings: { wayBack } }: CandidateInput,
  row: MeasuredRow,
  say: typeof shortenedAnswer,
): readonly Candidate[] {
  if (sheet.totalTokens - row.end < keepTokens) return [];
  const parts = row.message.parts.filter(isText).filter(shows);
  return parts.flatMap((part: TextPart) => {
    const text = say(part.text, part.id, wayBack);
    const saves = estimateTokens(part.text) - estimateTokens(text);
    if (saves < MIN_SAVED_TOKENS) return [];
    const at = { messageId: row.message.info.id, partId: part.id };
    const edits = [{ verb: "replace", at, text } as const];
    const calls = callsBeyond(sheet, row.end, keepTokens);
    return [{ partId: part.id, edits, saves, calls, dropReason: "shortened" as const }];
  });
}
