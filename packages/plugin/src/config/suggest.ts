// Suggests the known key that an unknown one was probably meant to be.

/**
 * Counts the edits (insertions, deletions, replacements, swaps of neighbours) that turn one word into the
 * other.
 */
export function computeEditDistance(left: string, right: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      const swapped =
        column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + cost,
          swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}

function toLastSegment(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1);
}

/** Limits the length of words to compare: a longer word is not a typo, and would take too much time. */
const MAX_WORD_CHARS = 64;

/**
 * Returns the known key that was probably meant: one that is spelled similarly, or the same name in another
 * section. Null if there is none.
 */
export function findClosestKey(unknown: string, known: readonly string[]): string | null {
  if (unknown.length > MAX_WORD_CHARS) return null;
  const wanted = unknown.toLowerCase();
  let best: { readonly key: string; readonly edits: number } | null = null;
  for (const key of known) {
    const candidate = key.toLowerCase();
    const whole = computeEditDistance(wanted, candidate);
    const name = computeEditDistance(toLastSegment(wanted), toLastSegment(candidate));
    const tolerated = Math.max(1, Math.floor(toLastSegment(candidate).length / 3));
    const edits = Math.min(whole, name);
    if (edits <= tolerated && (best === null || edits < best.edits)) best = { key, edits };
  }
  return best?.key ?? null;
}
