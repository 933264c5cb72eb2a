// The word that a mistyped one most likely meant.

/** The candidate that a mistyped word most likely meant, if any comes near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  if (best === undefined) return undefined;
  const isPrefix = word.length > 1 && best.candidate.startsWith(word);
  // Two letters that changed places are two edits; a short word must not match just anything.
  const isNear = best.distance <= Math.min(2, word.length - 1);
  return isPrefix || isNear ? best.candidate : undefined;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const replace = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(replace, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
