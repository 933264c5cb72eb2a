// Passages: a record's text in pieces of some lines, each of which is searched for itself.

export interface Passage {
  /** Of its first line in the record, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Long enough that a question's words stand together, short enough to be quoted. In UTF-16 units. */
const TARGET_CHARS = 1_500;

/** Together they are the text; a line that is longer than a passage stands in several, under its number. */
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
  // Never between the halves of a character.
  const unit = text.charCodeAt(limit - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? limit - 1 : limit;
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
