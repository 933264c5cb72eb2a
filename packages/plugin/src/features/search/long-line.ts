// Cuts a line that is too long to quote to the piece with most of the words of the query.
import { foldCase, wholeCharacters } from "./fold-text.ts";
import { coverage, type WeighedWord } from "./ranking.ts";

const MAX_CHARS = 400;
/** The characters kept before a word in a piece. */
const LEAD_CHARS = 120;
/** The characters kept after it: an explanation follows a name more often than it precedes it. */
const FOLLOWING_CHARS = 160;
/** Pieces that begin this near each other are one. */
const STEP_CHARS = 40;

/** A line of a minified file or a log is a text of its own, and its first match is rarely the right one. */
export function cutPiece(text: string, words: readonly WeighedWord[]): string {
  if (text.length <= MAX_CHARS) return text;
  const start = bestStart(foldCase(text), words);
  const end = start + MAX_CHARS;
  const piece = wholeCharacters(text, start, end);
  return `${start > 0 ? "…" : ""}${piece}${end < text.length ? "…" : ""}`;
}

/** Returns the first of the best starts. */
function bestStart(text: string, words: readonly WeighedWord[]): number {
  let best = 0;
  let bestShare = 0;
  for (const start of startsIn(text, words)) {
    const share = coverage(text.slice(start, start + MAX_CHARS - FOLLOWING_CHARS), words);
    if (share > bestShare) [best, bestShare] = [start, share];
  }
  return best;
}

function startsIn(text: string, words: readonly WeighedWord[]): readonly number[] {
  const starts = words
    .flatMap(({ text: word }) => findPlaces(text, word))
    .map((at) => Math.max(0, at - LEAD_CHARS))
    .sort((left, right) => left - right);
  let last = Number.NEGATIVE_INFINITY;
  return starts.filter((start) => {
    if (start < last + STEP_CHARS) return false;
    last = start;
    return true;
  });
}

function findPlaces(text: string, word: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + STEP_CHARS)) {
    places.push(at);
  }
  return places;
}
