// Picks words out of texts: sentences, lines that decide or stand out; measures how alike lines are.
import { toSingleLine } from "../context/frames.ts";

// Counts spellings in place: a map would need a string of each.

export class SpellingCounter {
  /** The range at which each spelling first occurred, and how often it occurred. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #times: number[] = [];
  /** A hash table of spellings' numbers, each plus one; 0 is an empty slot. */
  readonly #slots: Int32Array;

  /** `codes` holds UTF-16 units, of which the spellings are ranges; `most` limits their number. */
  constructor(
    private readonly codes: Uint16Array,
    most: number,
  ) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 1)));
  }

  /** Counts a spelling once more, and returns its number, which is the same for equal spellings. */
  count(from: number, to: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = this.#hash(from, to) & mask; ; slot = (slot + 1) & mask) {
      const number = (slots[slot] ?? 0) - 1;
      if (number < 0) {
        slots[slot] = this.#times.push(1);
        this.#starts.push(from);
        this.#ends.push(to);
        return this.#times.length - 1;
      }
      if (this.#matches(number, from, to)) {
        this.#times[number] = this.times(number) + 1;
        return number;
      }
    }
  }

  times(number: number): number {
    return this.#times[number] ?? 0;
  }

  #hash(from: number, to: number): number {
    const { codes } = this;
    let hash = 0;
    for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + (codes[at] ?? 0)) | 0;
    return hash ^ (hash >>> 15);
  }

  #matches(number: number, from: number, to: number): boolean {
    const { codes } = this;
    const start = this.#starts[number] ?? 0;
    if ((this.#ends[number] ?? 0) - start !== to - from) return false;
    for (let at = from; at < to; at++) if (codes[start + at - from] !== codes[at]) return false;
    return true;
  }
}

// Measures how alike lines are, by their shape and by their words.

export interface LineLikeness {
  /** The number of lines of this line's shape: its letters and digits without their values. */
  readonly alike: number;
  /** The number of the line's words that occur nowhere else. */
  readonly ownWords: number;
}

/** Only this many of a line's characters count towards its shape. */
const SHAPE_CHARS = 80;
const MIN_WORD_CHARS = 3;

/** Measures each line. Works on characters, as whole outputs are read while a call waits. */
export function measureLikenesses(lines: readonly string[]): readonly LineLikeness[] {
  const chars = lines.reduce((sum, { length }) => sum + length, 0);
  // No shape is longer than its line.
  const codes = new Uint16Array(2 * chars);
  const shapes = new SpellingCounter(codes, lines.length);
  const words = new SpellingCounter(codes, chars / MIN_WORD_CHARS);
  let [at, shapeAt] = [0, chars];
  const seen = lines.map((line) => {
    const from = at;
    at = writeText(codes, line, from);
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
const PLAIN_LINE_PATTERN = /^[\t -~]*$/;
const LETTER_CODE = 0x61;
const DIGIT_CODE = 0x30;
const UNDERSCORE_CODE = 0x5f;

/** Writes the text's characters, and returns where they end, as `writeShape` does. */
function writeText(codes: Uint16Array, text: string, at: number): number {
  for (let index = 0; index < text.length; index++) codes[at + index] = text.charCodeAt(index);
  return at + text.length;
}

/** Writes a line's shape; `from` is where the line's own characters are. */
function writeShape(codes: Uint16Array, line: string, from: number, at: number): number {
  if (!PLAIN_LINE_PATTERN.test(line)) {
    const shown = line.slice(0, SHAPE_CHARS);
    return writeText(codes, shown.replace(/\p{L}+/gu, "a").replace(/\d+/g, "0"), at);
  }
  const to = from + Math.min(line.length, SHAPE_CHARS);
  let [end, former] = [at, 0];
  for (let index = from; index < to; index++) {
    const code = codes[index] ?? 0;
    const shape = isLetter(code) ? LETTER_CODE : isDigit(code) ? DIGIT_CODE : code;
    if (shape === former && (shape === LETTER_CODE || shape === DIGIT_CODE)) continue;
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
  words: SpellingCounter,
): readonly number[] {
  const found: number[] = [];
  if (!PLAIN_LINE_PATTERN.test(line)) {
    for (const { index, 0: word } of line.matchAll(/[\p{L}\p{N}_]{3,}/gu))
      found.push(words.count(from + index, from + index + word.length));
    return found;
  }
  const end = from + line.length;
  let start = from;
  for (let at = from; at <= end; at++) {
    const code = at < end ? (codes[at] ?? 0) : 0;
    if (isLetter(code) || isDigit(code) || code === UNDERSCORE_CODE) continue;
    if (at - start >= MIN_WORD_CHARS) found.push(words.count(start, at));
    start = at + 1;
  }
  return found;
}

function isLetter(code: number): boolean {
  const small = code | 0x20;
  return small >= LETTER_CODE && small <= 0x7a;
}

function isDigit(code: number): boolean {
  return code >= DIGIT_CODE && code <= 0x39;
}

/** Returns the text on one line, inert and bounded; a cut is marked. */
export function clipText(text: string, mostChars: number): string {
  const flat = toSingleLine(text.slice(0, 4 * mostChars)).replace(/\s+/g, " ");
  if (flat.length <= mostChars && text.length <= 4 * mostChars) return flat;
  const cut = flat.slice(0, mostChars - 1);
  const space = cut.lastIndexOf(" ");
  const end = space > mostChars / 2 ? space : cut.length;
  return `${trimTrailingSurrogate(cut.slice(0, end))}…`;
}

/** Drops half of a surrogate pair at a cut, since it would not be text any more. */
export function trimTrailingSurrogate(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

/** Limits how much of a text is read from each of its ends. */
const SEARCHED_CHARS = 4_000;

export function findFirstSentence(text: string): string {
  return splitSentences(text.slice(0, SEARCHED_CHARS))[0] ?? "";
}

export function findLastSentence(text: string): string {
  return splitSentences(text.slice(-SEARCHED_CHARS)).at(-1) ?? "";
}

function splitSentences(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?:。！？])\s+|\n+/u)
    .map((sentence) => sentence.replace(/^[\s#>*+-]+/, "").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

const DECISION_PATTERN =
  /\b(?:decid\w+|because|instead of|rather than|must(?: not)?|never|always|agreed|turns? out|the (?:cause|reason|problem|fix) (?:is|was)|root cause|from now on|remember|prefer\w*|chose\w*|settled on|will use|should use|use \S+ (?:for|as|not))\b/i;

/** Finds sentences that settle something. */
export function findDecisions(text: string): readonly string[] {
  return splitSentences(text.slice(0, 4 * SEARCHED_CHARS)).filter(isDecision);
}

function isDecision(sentence: string): boolean {
  return DECISION_PATTERN.test(sentence);
}

/** The sentences of a text that an extract may use. */
export interface SentenceSet {
  readonly decided: readonly string[];
  readonly first: string;
  readonly last: string;
}

export function extractGist(text: string): SentenceSet {
  if (text.length > SEARCHED_CHARS) {
    return {
      decided: findDecisions(text),
      first: findFirstSentence(text),
      last: findLastSentence(text),
    };
  }
  // The text is split once for all three fields.
  const all = splitSentences(text);
  return { decided: all.filter(isDecision), first: all[0] ?? "", last: all.at(-1) ?? "" };
}

const FAILURE_PATTERN =
  /\b(?:error|errors|fail(?:ed|ure|ures|s)?|exception|panic|fatal|cannot|can't|undefined reference|traceback|denied|not found|timed? ?out)\b|✗|✘|[A-Z]{2}\d{3}/i;

export function findErrorLines(lines: readonly string[], most: number): readonly string[] {
  const found = new Set<string>();
  for (const line of lines) {
    if (found.size >= most) break;
    if (FAILURE_PATTERN.test(line)) found.add(line);
  }
  return [...found];
}

/** A longer line is data. */
const MAX_LINE_CHARS = 240;
/** Half of these lines come from each end of a text. */
const MAX_LINES = 240;

/**
 * Picks the lines that are least like the others, which are the informative ones in repetitive output: those
 * with the rarest shapes and words.
 */
export function findStrikingLines(lines: readonly string[], most: number): readonly string[] {
  // Most results are short and are shown whole.
  if (lines.length <= most) return lines;
  const scored = measureLikenesses(lines).map(({ alike, ownWords }, index) => {
    const line = lines[index] ?? "";
    return { line, index, score: (1 / alike) * (1 + Math.min(ownWords, 6)) + scoreLine(line) };
  });
  const best = scored.sort((one, other) => other.score - one.score || one.index - other.index);
  return best
    .slice(0, most)
    .sort((one, other) => one.index - other.index)
    .map(({ line }) => line);
}

const NAMED_VALUE_PATTERN = /[\p{L}\p{N}_)\]"'][ \t]*(?:=>|[:=])[ \t]*\S/u;
const FIGURE_PATTERN = /\b\d[\d.,:-]{2,}\b/;

/** Prefers a name with a value, which is more informative than a sentence of the same length. */
function scoreLine(line: string): number {
  return (/[:=]/.test(line) && NAMED_VALUE_PATTERN.test(line)) || FIGURE_PATTERN.test(line) ? 1 : 0;
}

/** Lists the lines of a text that may be informative; of a long text, only some. */
export function listCandidateLines(text: string): readonly string[] {
  return readOuterLines(text)
    .map((line) => line.trim())
    .filter((line) => line.length <= MAX_LINE_CHARS && /[\p{L}\p{N}]{2}/u.test(line));
}

/**
 * Returns the first and the last lines, or all lines of a short text. The whole text isn't split, which would take
 * as long as all work on the lines.
 */
function readOuterLines(text: string): readonly string[] {
  const first: string[] = [];
  let from = 0;
  while (first.length < MAX_LINES) {
    const end = text.indexOf("\n", from);
    if (end < 0) return [...first, text.slice(from)];
    first.push(text.slice(from, end));
    from = end + 1;
  }
  const half = MAX_LINES / 2;
  const last: string[] = [];
  for (let to = text.length; last.length < half; ) {
    const before = text.lastIndexOf("\n", to - 1);
    last.push(text.slice(before + 1, to));
    to = before;
  }
  return [...first.slice(0, half), ...last.reverse()];
}

export function removeDuplicates(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
