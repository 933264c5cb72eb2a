// Measures how alike lines are, by their shape and by their words.
import { Spellings } from "./spellings.ts";

export interface Likeness {
  /** The number of lines of this line's shape: its letters and digits without their values. */
  readonly alike: number;
  /** The number of its words that stand nowhere else. */
  readonly ownWords: number;
}

/** A line's shape counts only so many of its characters. */
const SHAPE_CHARS = 80;
const MIN_WORD_CHARS = 3;

/** Measures each line. It works on characters, as whole outputs are read in each call's path. */
export function likenesses(lines: readonly string[]): readonly Likeness[] {
  const chars = lines.reduce((sum, { length }) => sum + length, 0);
  // No shape is longer than its line.
  const codes = new Uint16Array(2 * chars);
  const shapes = new Spellings(codes, lines.length);
  const words = new Spellings(codes, chars / MIN_WORD_CHARS);
  let [at, shapeAt] = [0, chars];
  const seen = lines.map((line) => {
    const from = at;
    at = write(codes, line, from);
    const shapeEnd = writeShape(codes, line, from, shapeAt);
    const shape = shapes.count(shapeAt, shapeEnd);
    shapeAt = shapeEnd;
    return { shape, said: collectWords(codes, line, from, words) };
  });
  return seen.map(({ shape, said }) => ({
    alike: shapes.times(shape),
    ownWords: said.reduce((sum, word) => (words.times(word) === 1 ? sum + 1 : sum), 0),
  }));
}

/** Matches most lines: the kinds of these characters are known without a regular expression. */
const IS_PLAIN = /^[\t -~]*$/;
const LETTER = 0x61;
const DIGIT = 0x30;
const UNDERSCORE = 0x5f;

/** Writes the text's characters. Returns where they end, as `writeShape` does. */
function write(codes: Uint16Array, text: string, at: number): number {
  for (let index = 0; index < text.length; index++) codes[at + index] = text.charCodeAt(index);
  return at + text.length;
}

/** Writes a line's shape; `from` is where the line itself stands. */
function writeShape(codes: Uint16Array, line: string, from: number, at: number): number {
  if (!IS_PLAIN.test(line)) {
    const shown = line.slice(0, SHAPE_CHARS);
    return write(codes, shown.replace(/\p{L}+/gu, "a").replace(/\d+/g, "0"), at);
  }
  const to = from + Math.min(line.length, SHAPE_CHARS);
  let [end, former] = [at, 0];
  for (let index = from; index < to; index++) {
    const code = codes[index] ?? 0;
    const shape = isLetter(code) ? LETTER : isDigit(code) ? DIGIT : code;
    if (shape === former && (shape === LETTER || shape === DIGIT)) continue;
    codes[end] = shape;
    end += 1;
    former = shape;
  }
  return end;
}

/** Collects a line's words, as their numbers. */
function collectWords(
  codes: Uint16Array,
  line: string,
  from: number,
  words: Spellings,
): readonly number[] {
  const found: number[] = [];
  if (!IS_PLAIN.test(line)) {
    for (const { index, 0: word } of line.matchAll(/[\p{L}\p{N}_]{3,}/gu))
      found.push(words.count(from + index, from + index + word.length));
    return found;
  }
  const end = from + line.length;
  let start = from;
  for (let at = from; at <= end; at++) {
    const code = at < end ? (codes[at] ?? 0) : 0;
    if (isLetter(code) || isDigit(code) || code === UNDERSCORE) continue;
    if (at - start >= MIN_WORD_CHARS) found.push(words.count(start, at));
    start = at + 1;
  }
  return found;
}

function isLetter(code: number): boolean {
  const small = code | 0x20;
  return small >= LETTER && small <= 0x7a;
}

function isDigit(code: number): boolean {
  return code >= DIGIT && code <= 0x39;
}
