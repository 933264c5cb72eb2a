// Finds the words of a text that seldom recur by chance: identifiers, paths, hashes and numbers.

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const UNDERSCORE = 4;
const DOLLAR = 5;
/** The kind of characters that join words: `.`, `@`, `-`. */
const JOINT = 6;
const SLASH = 7;

/** Maps character codes up to 127 to their kinds. */
const KINDS = new Uint8Array(128).map((_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/\d/.test(character)) return DIGIT;
  if (character === "_") return UNDERSCORE;
  if (character === "$") return DOLLAR;
  if (/[.@-]/.test(character)) return JOINT;
  return character === "/" ? SLASH : OTHER;
});

const MIN_CHARS = 4;

/** Returns the rare words as a set of their own. */
export function rareWords(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  eachRareWord(text, (word) => found.add(word));
  return found;
}

/**
 * Calls `found` with each rare word: a name with an inner capital, underscore or digit; a number of four digits; a
 * path by its last two parts, so that it is the same from the root and from the project. It reads by character,
 * because whole results are read, and only rare words are to be copied.
 */
export function eachRareWord(text: string, found: (word: string) => void): void {
  for (let at = 0; at < text.length; ) {
    at = isWord(kindAt(text, at)) ? readChain(text, at, found) : at + 1;
  }
}

/** Most chains have no rare word, and share this list. */
const NONE: readonly string[] = [];

/** Reads words with joints and slashes between them, from the first one's start; returns the chain's end. */
function readChain(text: string, from: number, found: (word: string) => void): number {
  let word = from;
  /** These mark where the last two parts of a path begin. */
  let [part, partBefore] = [from, -1];
  let words: readonly string[] = NONE;
  let at = from;
  for (;;) {
    at = wordEnd(text, word);
    if (partBefore < 0 && isRare(text, word, at)) words = [...words, text.slice(word, at)];
    const joint = kindAt(text, at);
    if ((joint !== JOINT && joint !== SLASH) || !isWord(kindAt(text, at + 1))) break;
    word = at + 1;
    if (joint === SLASH) [partBefore, part] = [part, word];
  }
  if (partBefore >= 0) found(text.slice(partBefore, at));
  else for (const one of words) found(one);
  return at;
}

function wordEnd(text: string, from: number): number {
  let at = from + 1;
  while (isWord(kindAt(text, at))) at += 1;
  return at;
}

function isRare(text: string, from: number, to: number): boolean {
  if (to - from < MIN_CHARS) return false;
  let digits = 0;
  let [former, beforeIt]: [number, number] = [OTHER, OTHER];
  for (let at = from; at < to; at += 1) {
    const kind = kindAt(text, at);
    if (kind === DIGIT) digits += 1;
    if (former === LOWER && kind === UPPER) return true;
    if (isNamed(former) && kind === DIGIT) return true;
    if (former === DIGIT && isNamed(kind)) return true;
    if (former === UNDERSCORE && isLetter(kind) && isLetter(beforeIt)) return true;
    beforeIt = former;
    former = kind;
  }
  return digits === to - from;
}

/** Returns a character's kind, with a check for the end: reading beyond it would take many times as long. */
function kindAt(text: string, at: number): number {
  if (at >= text.length) return OTHER;
  const code = text.charCodeAt(at);
  return code < KINDS.length ? (KINDS[code] ?? OTHER) : OTHER;
}

function isWord(kind: number): boolean {
  return kind >= LOWER && kind <= DOLLAR;
}

function isLetter(kind: number): boolean {
  return kind === LOWER || kind === UPPER;
}

function isNamed(kind: number): boolean {
  return isLetter(kind) || kind === UNDERSCORE;
}
