// Passages: a record's text split into groups of lines, each of which is searched separately.

export interface Passage {
  /** The number of the passage's first line in the record, from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Sets a passage's length in UTF-16 units: long enough to hold a question's words together, short enough to
 * quote.
 */
const TARGET_CHARS = 1_500;

/**
 * Splits a text into passages that join to the whole; a line that is too long for one spans several, under its
 * number.
 */
export function splitPassages(text: string): readonly Passage[] {
  const passages: Passage[] = [];
  let start = 0;
  let line = 1;
  while (start < text.length) {
    const end = passageEnd(text, start);
    const piece = text.slice(start, end);
    passages.push({ line, text: piece });
    line += countBreaks(piece);
    start = end;
  }
  return passages;
}

function passageEnd(text: string, start: number): number {
  const limit = start + TARGET_CHARS;
  if (limit >= text.length) return text.length;
  const lineEnd = text.lastIndexOf("\n", limit - 1);
  if (lineEnd >= start) return lineEnd + 1;
  // The split never falls between the halves of a surrogate pair.
  const unit = text.charCodeAt(limit - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? limit - 1 : limit;
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
