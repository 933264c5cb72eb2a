// Shortens long words: an old closing answer to its ends and its lists' heads, a paste to its ends.
import { backTo, type WayBack } from "./stub.ts";
import { clip, firstSentence, wholePairs } from "./words.ts";

/** The most characters of each of the two paragraphs that stay. */
const PARAGRAPH_CHARS = 500;
const HEAD_LINES = 12;
const HEAD_LINE_CHARS = 100;

/** Returns the first and last paragraphs, and the beginnings of headings and lists between them. Never empty. */
export function shortenedAnswer(text: string, partId: string, wayBack: WayBack): string {
  const words = text.trim();
  const gaps = [...words.matchAll(/\n[ \t]*\n\s*/g)];
  const [from, to] = [gaps[0]?.index ?? words.length, gapEnd(gaps.at(-1))];
  const firstEnd = from <= PARAGRAPH_CHARS ? from : findCutIndex(words);
  const lastStart = Math.max(firstEnd, words.length - to <= PARAGRAPH_CHARS ? to : cutAfter(words));
  const between = words.slice(firstEnd, lastStart);
  if (between.trim() === "") return words;
  const first = `${words.slice(0, firstEnd)}${firstEnd < from ? "…" : ""}`;
  const last = `${lastStart > to ? "…" : ""}${words.slice(lastStart)}`;
  const said = `[${between.length} characters are not shown here${backTo(partId, wayBack, "them")}]`;
  return [first, ...headsIn(between), said, last].join("\n");
}

const SENTENCE_CHARS = 160;

/** Returns one sentence of an answer, for where no more fits. Never empty. */
export function briefAnswer(text: string, partId: string, wayBack: WayBack): string {
  const sentence = clip(firstSentence(text) || text.trim(), SENTENCE_CHARS);
  return `${sentence} [the rest of this answer is not shown here${backTo(partId, wayBack, "it")}]`;
}

function gapEnd(gap: RegExpExecArray | undefined): number {
  return gap === undefined ? 0 : gap.index + gap[0].length;
}

/** Finds where the longest beginning ends at a word. */
function findCutIndex(words: string): number {
  const end = words.lastIndexOf(" ", PARAGRAPH_CHARS);
  return end > PARAGRAPH_CHARS / 2 ? end : wholePairs(words.slice(0, PARAGRAPH_CHARS)).length;
}

/** Finds where the longest end begins at a word. */
function cutAfter(words: string): number {
  const least = words.length - PARAGRAPH_CHARS;
  const from = words.indexOf(" ", least) + 1;
  if (from > 0 && from < least + PARAGRAPH_CHARS / 2) return from;
  return /^[\uDC00-\uDFFF]/.test(words.slice(least)) ? least + 1 : least;
}

const HEAD = /^[ \t]*(?:#{1,6}|[-*+]|\d{1,3}[.)])[ \t]+\S/;

function headsIn(between: string): readonly string[] {
  return between
    .split("\n")
    .filter((line) => HEAD.test(line))
    .slice(0, HEAD_LINES)
    .map((line) =>
      line.length <= HEAD_LINE_CHARS ? line : `${wholePairs(line.slice(0, HEAD_LINE_CHARS))}…`,
    );
}
