// Renders the answer of `ctx_expand`: a record line by line, and how to get the rest.
import { toSingleLine } from "../../context/neutralize.ts";
import { type RecordLine, recalled, renderQuote } from "../../context/quote.ts";
import type { Ref } from "../../ledger/ref.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import { wholeCharacters } from "./fold-text.ts";

/** The most tokens that one page may take. */
const PAGE_TOKENS = 8_000;
/** A longer line is cut: another tool shows a file's bytes. */
const MAX_LINE_CHARS = 8_000;

/** Selects the lines of a record that are shown. */
export interface Page {
  /** The first line, counted from 1. */
  readonly from: number;
  /** The most lines to show. */
  readonly lines: number;
}

export interface ExpandedRecord {
  readonly ref: Ref;
  readonly words: string;
  readonly lines: readonly RecordLine[];
  /** Lines of ours, each shown before the record's line of that number. */
  readonly heads: ReadonlyMap<number, string>;
}

export const NO_HEADS: ReadonlyMap<number, string> = new Map();

export function renderRecord({ ref, words, lines, heads }: ExpandedRecord, page: Page): string {
  const total = lines.length;
  const asked = lines.filter(({ number }) => number >= page.from).slice(0, page.lines);
  const first = asked[0];
  if (!first) {
    return `${ref} (${toSingleLine(words)}) has ${total} lines; there is none from ${page.from} on.`;
  }
  const shown = boundLines(asked);
  const last = shown.at(-1)?.number ?? first.number;
  const place =
    shown.length === total ? `${total} lines` : `lines ${first.number} to ${last} of ${total}`;
  const said = shown.flatMap((line) => [...listHeads(heads, line), renderQuote([line])]);
  const text = recalled([`[${ref}] ${toSingleLine(words)}, ${place}`, ...said]);
  return last < total ? `${text}\nctx_expand ${ref} with from: ${last + 1} shows the rest.` : text;
}

function listHeads(heads: ReadonlyMap<number, string>, { number }: RecordLine): readonly string[] {
  const head = heads.get(number);
  return head === undefined ? [] : [head];
}

/** Returns as many lines as fit, and always one. */
function boundLines(lines: readonly RecordLine[]): readonly RecordLine[] {
  let left = PAGE_TOKENS;
  const cut = lines.map(({ number, text }) => ({ number, text: shortenText(text) }));
  const end = cut.findIndex(({ text }) => {
    left -= estimateTokens(text) + 3;
    return left < 0;
  });
  return end === -1 ? cut : cut.slice(0, Math.max(1, end));
}

function shortenText(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  const rest = text.length - MAX_LINE_CHARS;
  return `${wholeCharacters(text, 0, MAX_LINE_CHARS)}… (${rest} more characters)`;
}
