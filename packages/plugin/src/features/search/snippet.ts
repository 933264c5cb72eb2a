// Cuts snippets: the lines of a passage and its surroundings that answer the query.
import type { RecordLine } from "../../context/frames.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import type { Passage } from "../../search-index/document.ts";
import { foldCase, scoreWordPresence, sliceWholeCharacters } from "./fold-text.ts";
import { computeWordCoverage, type WeighedWord } from "./ranking.ts";

// Cuts a line that is too long to quote to the piece with most of the words of the query.

const MAX_PIECE_CHARS = 400;
/** The characters kept before a word in a piece. */
const LEAD_CHARS = 120;
/** The characters kept after that word: an explanation follows a name more often than it precedes it. */
const FOLLOWING_CHARS = 160;
/** Pieces that begin this close together count as one. */
const MIN_START_DISTANCE_CHARS = 40;

/**
 * Cuts the piece with most words: a line of a minified file or a log is as long as a text, and its first
 * match is rarely the right one.
 */
export function cutPiece(text: string, words: readonly WeighedWord[]): string {
  if (text.length <= MAX_PIECE_CHARS) return text;
  const start = findBestStart(foldCase(text), words);
  const end = start + MAX_PIECE_CHARS;
  const piece = sliceWholeCharacters(text, start, end);
  return `${start > 0 ? "…" : ""}${piece}${end < text.length ? "…" : ""}`;
}

/** Returns the start of the piece that holds most of the words; of equally good ones, the first. */
function findBestStart(text: string, words: readonly WeighedWord[]): number {
  let best = 0;
  let bestShare = 0;
  for (const start of listPieceStarts(text, words)) {
    const share = computeWordCoverage(
      text.slice(start, start + MAX_PIECE_CHARS - FOLLOWING_CHARS),
      words,
    );
    if (share > bestShare) [best, bestShare] = [start, share];
  }
  return best;
}

function listPieceStarts(text: string, words: readonly WeighedWord[]): readonly number[] {
  const starts = words
    .flatMap(({ text: word }) => findWordPositions(text, word))
    .map((at) => Math.max(0, at - LEAD_CHARS))
    .sort((left, right) => left - right);
  let last = Number.NEGATIVE_INFINITY;
  return starts.filter((start) => {
    if (start < last + MIN_START_DISTANCE_CHARS) return false;
    last = start;
    return true;
  });
}

function findWordPositions(text: string, word: string): readonly number[] {
  const places: number[] = [];
  for (
    let at = text.indexOf(word);
    at !== -1;
    at = text.indexOf(word, at + MIN_START_DISTANCE_CHARS)
  ) {
    places.push(at);
  }
  return places;
}

/** Words at most this many lines apart count as one place. */
const MAX_LINE_DISTANCE = 4;
/** An explanation follows a name more often than it precedes it, so more lines are taken after a hit than before. */
const LINES_AFTER_PER_LINE_BEFORE = 2;
/** The tokens for a line's number and frame. */
const LINE_OVERHEAD_TOKENS = 3;

/** Joins passages in a row into lines; a line that two of them share appears once. */
export function joinPassages(passages: readonly Passage[]): readonly RecordLine[] {
  const lines: RecordLine[] = [];
  for (const { line, text } of passages) {
    for (const [at, one] of text.replace(/\n$/, "").split("\n").entries()) {
      const last = lines.at(-1);
      if (at === 0 && last?.number === line) {
        lines.splice(-1, 1, { number: line, text: last.text + one });
      } else lines.push({ number: line + at, text: one });
    }
  }
  return lines;
}

/** The share of the words' weight that a second place has to add to be shown. */
const MIN_SECOND_GAIN_SHARE = 0.1;
/** The second place's share of the space; the better place has the rest. */
const SECOND_PLACE_BUDGET_SHARE = 0.4;

/**
 * Cuts the lines around the place that holds most of the words to `budgetTokens`, with at least its best line. If
 * another place holds words that this one lacks, such as a call's own words or a line of its output, it gets a share.
 */
export function cutSnippet(
  lines: readonly RecordLine[],
  words: readonly WeighedWord[],
  budgetTokens: number,
): readonly RecordLine[] {
  const held = lines.map(({ text }) => weighWords(text, words));
  const first = findBestLine(held);
  const second = findSecondLine(held, first);
  if (second === null) return cutWindow(lines, words, { centre: first, budgetTokens });
  const shares = [1 - SECOND_PLACE_BUDGET_SHARE, SECOND_PLACE_BUDGET_SHARE];
  const shown = [first, second].flatMap((centre, at) =>
    cutWindow(lines, words, { centre, budgetTokens: budgetTokens * (shares[at] ?? 0) }),
  );
  return [...new Map(shown.map((line) => [line.number, line])).values()].toSorted(
    (left, right) => left.number - right.number,
  );
}

interface SnippetWindow {
  /** The index of the line in the middle. */
  readonly centre: number;
  readonly budgetTokens: number;
}

function cutWindow(
  lines: readonly RecordLine[],
  words: readonly WeighedWord[],
  { centre, budgetTokens }: SnippetWindow,
): readonly RecordLine[] {
  let [first, last] = [centre, centre];
  let left = budgetTokens - estimateLineCost(lines[centre], words);
  for (let step = 0; first > 0 || last < lines.length - 1; step += 1) {
    const goesUp =
      last === lines.length - 1 || (first > 0 && step % (LINES_AFTER_PER_LINE_BEFORE + 1) === 0);
    const cost = estimateLineCost(lines[goesUp ? first - 1 : last + 1], words);
    if (cost > left) break;
    left -= cost;
    if (goesUp) first -= 1;
    else last += 1;
  }
  return lines.slice(first, last + 1).map((line) => cutLine(line, words));
}

function estimateLineCost(line: RecordLine | undefined, words: readonly WeighedWord[]): number {
  return line ? LINE_OVERHEAD_TOKENS + estimateTokens(cutLine(line, words).text) : 0;
}

/** The weight that a line holds of each word. */
type WordWeights = readonly number[];

function weighWords(text: string, words: readonly WeighedWord[]): WordWeights {
  const line = foldCase(text);
  return words.map(({ text: word, weight }) => weight * scoreWordPresence(line, word));
}

/** Returns the weight of each word in the lines near an index. */
function weighNearbyLines(held: readonly WordWeights[], at: number): WordWeights {
  const near = held.slice(Math.max(0, at - MAX_LINE_DISTANCE), at + MAX_LINE_DISTANCE + 1);
  return computeMaxWeights(near);
}

function computeMaxWeights(held: readonly WordWeights[]): WordWeights {
  const [one = []] = held;
  return one.map((_, word) => Math.max(...held.map((weights) => weights[word] ?? 0)));
}

function sumWeights(weights: WordWeights): number {
  return weights.reduce((all, one) => all + one, 0);
}

/** Returns the line with most weight, within the place with most weight. */
function findBestLine(held: readonly WordWeights[]): number {
  let best = 0;
  let bestScore = -1;
  for (const [at, weights] of held.entries()) {
    const own = sumWeights(weights);
    if (own === 0 && bestScore >= 0) continue;
    const score = sumWeights(weighNearbyLines(held, at)) * 2 + own;
    if (score > bestScore) [best, bestScore] = [at, score];
  }
  return best;
}

/** Returns the line that adds most to what is near the best one; null if none adds much. */
function findSecondLine(held: readonly WordWeights[], best: number): number | null {
  const near = weighNearbyLines(held, best);
  const computeGain = (weights: WordWeights) =>
    sumWeights(weights.map((weight, word) => Math.max(0, weight - (near[word] ?? 0))));
  const least = sumWeights(computeMaxWeights(held)) * MIN_SECOND_GAIN_SHARE;
  let second: number | null = null;
  let bestScore = 0;
  for (const [at, weights] of held.entries()) {
    const gain = computeGain(weights);
    // Of lines that add the same, the one that holds more wins.
    const score = gain + sumWeights(weights) / 100;
    if (gain >= least && score > bestScore) [second, bestScore] = [at, score];
  }
  return second;
}

function cutLine({ number, text }: RecordLine, words: readonly WeighedWord[]): RecordLine {
  return { number, text: cutPiece(text, words) };
}
