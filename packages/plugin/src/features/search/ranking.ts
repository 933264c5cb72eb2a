// Orders hits: by how much of the query they hold, then bm25, then who wrote the words, then age.
import type { Passage, PassagePlace } from "../../search-index/document.ts";
import { foldCase, scoreWordPresence } from "./fold-text.ts";

/** Holds a passage that was found. */
export interface Hit extends PassagePlace {
  readonly passage: Passage;
}

export interface Candidate {
  readonly hit: Hit;
  /** The passage's bm25 relative to the best hit's, from 0 to 1; 0 if the passage was found without bm25. */
  readonly rank: number;
}

export interface WeighedWord {
  /** The word as folded text. */
  readonly text: string;
  /** The word's weight; rare words weigh more. */
  readonly weight: number;
}

/** The weight of bm25 relative to the share of the query that a passage holds. */
const RANK_WEIGHT = 0.3;
/** The weight of the best line alone: words close together were meant together. */
const BEST_LINE_WEIGHT = 0.5;
/** Scores are rounded to this many steps, so that small differences, such as a passage's length, don't count. */
const SCORE_STEPS = 20;

/** Sorts best first; each text appears once, at its newest place. */
export function sortHits(
  candidates: readonly Candidate[],
  words: readonly WeighedWord[],
): readonly Hit[] {
  const read = pickBestRanked(candidates).map((one) => ({ ...one, ...foldHit(one.hit) }));
  // A word that no hit holds can't distinguish hits, and would hide the differences in the other words.
  const telling = words.filter((word) =>
    read.some(({ text }) => scoreWordPresence(text, word.text) > 0),
  );
  const scored = read.flatMap(({ hit, rank, call, text }) => {
    const held = roundShare(computeWordCoverage(text, telling));
    if (held === 0) return [];
    const together = roundShare(computeBestLineCoverage(call, text, telling));
    return [{ hit, score: held + together * BEST_LINE_WEIGHT + roundShare(rank) * RANK_WEIGHT }];
  });
  const sorted = scored.sort(
    (left, right) =>
      right.score - left.score ||
      rankOutputLast(left.hit) - rankOutputLast(right.hit) ||
      right.hit.part.madeAtMs - left.hit.part.madeAtMs ||
      toPassageId(right.hit) - toPassageId(left.hit),
  );
  return dropDuplicateHits(sorted.map(({ hit }) => hit));
}

/** Keeps each passage once, with its highest rank, as several searches may find the same one. */
function pickBestRanked(candidates: readonly Candidate[]): readonly Candidate[] {
  const best = new Map<number, Candidate>();
  for (const candidate of candidates) {
    const id = toPassageId(candidate.hit);
    const former = best.get(id);
    if (!former || candidate.rank > former.rank) best.set(id, candidate);
  }
  return [...best.values()];
}

/** A call's own words describe all of its output. */
function foldHit({ part, passage }: Hit): { readonly call: string; readonly text: string } {
  const call = foldCase(part.words);
  return { call, text: `${call}\n${foldCase(passage.text)}` };
}

/** Returns the best coverage by a single line, with the call's own words added to each. */
function computeBestLineCoverage(
  call: string,
  text: string,
  words: readonly WeighedWord[],
): number {
  const lines = text.slice(call.length + 1).split("\n");
  return Math.max(...lines.map((line) => computeWordCoverage(`${call}\n${line}`, words)));
}

/** A record's first passage is found by the call's own words, too. */
export function renderHitText({ at, part, passage }: Hit): string {
  return foldCase(at === 0 ? `${part.words}\n${passage.text}` : passage.text);
}

export function toPassageId({ part, at }: Hit): number {
  return part.id + at;
}

/** Returns how much of the words' weight the text holds, from 0 to 1. */
export function computeWordCoverage(text: string, words: readonly WeighedWord[]): number {
  let held = 0;
  let all = 0;
  for (const { text: word, weight } of words) {
    held += weight * scoreWordPresence(text, word);
    all += weight;
  }
  return all === 0 ? 0 : held / all;
}

function roundShare(share: number): number {
  return Math.round(share * SCORE_STEPS) / SCORE_STEPS;
}

function rankOutputLast({ part }: Hit): number {
  return part.kind === "output" ? 1 : 0;
}

function dropDuplicateHits(hits: readonly Hit[]): readonly Hit[] {
  const seen = new Set<string>();
  return hits.filter(({ passage: { text } }) => {
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
