// Compares lists of texts.

/** Says whether both lists hold the same texts in the same order. */
export function sameTexts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}
