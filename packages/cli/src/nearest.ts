// The word that a mistyped one most likely meant.
import { editDistance } from "../../plugin/src/config/suggest.ts";

/** The candidate that a mistyped word most likely meant, if any comes near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  if (best === undefined) return undefined;
  const isPrefix = word.length > 1 && best.candidate.startsWith(word);
  // A short word must not match just anything.
  const isNear = best.distance <= Math.min(2, word.length - 1);
  return isPrefix || isNear ? best.candidate : undefined;
}
