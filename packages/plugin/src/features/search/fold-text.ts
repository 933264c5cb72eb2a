// Normalises texts as the index does, without case and accents, and cuts texts between characters.

/** Most texts are ASCII, which folding only lower-cases. */
const NON_ASCII_PATTERN = /[^ -~\n\r\t]/;

export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return NON_ASCII_PATTERN.test(lower) ? lower.normalize("NFD").replace(/\p{Mn}/gu, "") : lower;
}

const WORD_ENDING_PATTERN = /(?:ations?|ions?|ings?|ments?|ers?|ors?|ed|es|ly|s|e|y)$/;

/** Approximates the table's stemmer for English: it removes a word's ending, if it has one. */
function stemWord(word: string): string {
  if (!/^[a-z]{6,}$/.test(word)) return word;
  const stem = word.replace(WORD_ENDING_PATTERN, "");
  return stem.length >= 4 ? stem : word;
}

const WORD_CHARACTER_PATTERN = /[\p{L}\p{N}]/u;

const DIGIT_PATTERN = /[0-9]/;
const NUMBER_PATTERN = /^[0-9]+$/;

/** Scores how well a folded text holds a folded word: 1 as a word, less as a piece of one, or as its stem only. */
export function scoreWordPresence(text: string, word: string): number {
  let best = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + word.length)];
    if (!WORD_CHARACTER_PATTERN.test(before) && !WORD_CHARACTER_PATTERN.test(after)) return 1;
    // A number within a longer number is usually a different number.
    const isOther =
      NUMBER_PATTERN.test(word) && (DIGIT_PATTERN.test(before) || DIGIT_PATTERN.test(after));
    best = Math.max(best, isOther ? 0.3 : 0.8);
  }
  if (best > 0) return best;
  const stem = stemWord(word);
  return stem !== word && hasWordStart(text, stem) ? 0.6 : 0;
}

function hasWordStart(text: string, start: string): boolean {
  for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1)) {
    if (!WORD_CHARACTER_PATTERN.test(text.charAt(at - 1))) return true;
  }
  return false;
}

/** Cuts a piece out of a text, without half of a character at its ends. */
export function sliceWholeCharacters(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
