// The order of what was found: how much of the query it holds, then bm25, then whose words, then age.

import type { PassagePlace } from "../../search-index/document.ts";
import type { Passage } from "../../search-index/passage.ts";
import { folded, presence } from "./fold-text.ts";

/** A passage that was found. */
export interface Hit extends PassagePlace {
  readonly passage: Passage;
}

export interface Candidate {
  readonly hit: Hit;
  /** bm25 against the best one's, from 0 to 1; 0 where it was found without. */
  readonly rank: number;
}

export interface WeighedWord {
  /** Folded. */
  readonly text: string;
  /** Rare ones weigh more. */
  readonly weight: number;
}

/** What bm25 weighs against how much of the query is there. */
const RANK_SHARE = 0.3;
/** The same of the best line alone: words that stand together were meant together. */
const LINE_SHARE = 0.5;
/** Smaller differences, by a passage's length say, are none. */
const STEPS = 20;

/** Best first; each text once, at its newest place. */
export function inOrder(
  candidates: readonly Candidate[],
  words: readonly WeighedWord[],
): readonly Hit[] {
  const read = bestRanked(candidates).map((one) => ({ ...one, ...foldedHit(one.hit) }));
  // A word that is nowhere says nothing of what is better, and would hide what the others say.
  const telling = words.filter((word) => read.some(({ text }) => presence(text, word.text) > 0));
  const scored = read.flatMap(({ hit, rank, call, text }) => {
    const held = stepped(coverage(text, telling));
    if (held === 0) return [];
    const together = stepped(bestLine(call, text, telling));
    return [{ hit, score: held + together * LINE_SHARE + stepped(rank) * RANK_SHARE }];
  });
  const sorted = scored.sort(
    (left, right) =>
      right.score - left.score ||
      outputLast(left.hit) - outputLast(right.hit) ||
      right.hit.part.madeAtMs - left.hit.part.madeAtMs ||
      passageId(right.hit) - passageId(left.hit),
  );
  return withoutCopies(sorted.map(({ hit }) => hit));
}

/** Several look-ups find the same passage: once each, as the one that ranks it highest has it. */
function bestRanked(candidates: readonly Candidate[]): readonly Candidate[] {
  const best = new Map<number, Candidate>();
  for (const candidate of candidates) {
    const id = passageId(candidate.hit);
    const former = best.get(id);
    if (!former || candidate.rank > former.rank) best.set(id, candidate);
  }
  return [...best.values()];
}

/** A call's own words say what all of its output is about. */
function foldedHit({ part, passage }: Hit): { readonly call: string; readonly text: string } {
  const call = folded(part.words);
  return { call, text: `${call}\n${folded(passage.text)}` };
}

/** The call's words go with each line. */
function bestLine(call: string, text: string, words: readonly WeighedWord[]): number {
  const lines = text.slice(call.length + 1).split("\n");
  return Math.max(...lines.map((line) => coverage(`${call}\n${line}`, words)));
}

/** A record's first passage is found by the call's own words, too. */
export function hitText({ at, part, passage }: Hit): string {
  return folded(at === 0 ? `${part.words}\n${passage.text}` : passage.text);
}

export function passageId({ part, at }: Hit): number {
  return part.id + at;
}

/** How much of the words' weight the text holds, from 0 to 1. */
export function coverage(text: string, words: readonly WeighedWord[]): number {
  let held = 0;
  let all = 0;
  for (const { text: word, weight } of words) {
    held += weight * presence(text, word);
    all += weight;
  }
  return all === 0 ? 0 : held / all;
}

function stepped(share: number): number {
  return Math.round(share * STEPS) / STEPS;
}

function outputLast({ part }: Hit): number {
  return part.kind === "output" ? 1 : 0;
}

function withoutCopies(hits: readonly Hit[]): readonly Hit[] {
  const seen = new Set<string>();
  return hits.filter(({ passage: { text } }) => {
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
