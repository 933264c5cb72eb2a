// Groups of memories that may be about one thing. Pure and deterministic.
import type { Memory } from "../memory/record.ts";
import {
  type ComparedFact,
  collectWords,
  extractSubstance,
  measureLikeness,
} from "./wording-guard.ts";

/** Two memories with at least this share of common words are shown together. */
export const ALIKE = 0.5;
const MAX_IN_GROUP = 8;
/** A word that more memories have says nothing about which belong together. */
const COMMON_SHARE = 0.1;
const MIN_COMMON_WORDS = 12;

/** The largest likeness first; a memory is in one group at most. */
export function groupSimilar(memories: readonly Memory[]): readonly (readonly Memory[])[] {
  const known = memories.map((memory) => ({ memory, substance: extractSubstance(memory.text) }));
  const groups = known.map((_, at) => [at]);
  const groupAt = known.map((_, at) => at);
  for (const { one, other } of findSimilarPairs(known.map(({ substance }) => substance))) {
    const [left = 0, right = 0] = [groupAt[one], groupAt[other]];
    const [into, from] = [groups[left] ?? [], groups[right] ?? []];
    if (left === right || into.length + from.length > MAX_IN_GROUP) continue;
    into.push(...from);
    for (const at of from) groupAt[at] = left;
    groups[right] = [];
  }
  return groups
    .filter(({ length }) => length > 1)
    .map((group) => group.toSorted((a, b) => a - b).flatMap((at) => memories[at] ?? []));
}

interface Pair {
  readonly one: number;
  readonly other: number;
  readonly share: number;
}

/** Compares only memories that share a distinctive word: comparing all pairs would take too long. */
function findSimilarPairs(substances: readonly ComparedFact[]): readonly Pair[] {
  const most = Math.max(MIN_COMMON_WORDS, substances.length * COMMON_SHARE);
  const byWord = new Map<string, number[]>();
  substances.forEach((substance, at) => {
    for (const word of collectWords(substance)) byWord.set(word, [...(byWord.get(word) ?? []), at]);
  });
  const seen = new Set<string>();
  const pairs: Pair[] = [];
  for (const places of byWord.values()) {
    if (places.length > most) continue;
    for (const [rank, one] of places.entries()) {
      for (const other of places.slice(rank + 1)) {
        const key = `${one} ${other}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const [a, b] = [substances[one], substances[other]];
        const share = a && b ? measureLikeness(a, b) : 0;
        if (share >= ALIKE) pairs.push({ one, other, share });
      }
    }
  }
  return pairs.toSorted((a, b) => b.share - a.share || a.one - b.one || a.other - b.other);
}
