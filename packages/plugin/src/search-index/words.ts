// Texts as both tables of words hold them.

/**
 * Scripts that put no spaces between words, or many endings on them: each of their characters is a word
 * of its own, so that a phrase finds any piece of a text, of one character or of twenty.
 */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]\p{M}*/gu;

/** Below this no character is of such a script: most texts need no look at each of theirs. */
const FIRST_UNSPACED = "\u0e00";
export const MAY_BE_UNSPACED = new RegExp(`[${FIRST_UNSPACED}-\u{10ffff}]`, "u");

/** What SQLite can't hold as it is: a NUL ends a text, and half of a character becomes another one. */
export const clean = (text: string) => text.replace(/[\0\ufffd\p{Surrogate}]/gu, " ");

/** For the table of words. */
export function asWords(text: string): string {
  return MAY_BE_UNSPACED.test(text) ? clean(text).replace(UNSPACED, " $& ") : clean(text);
}

/** For the table of trigrams: what the table of words finds by any piece is left out. */
export function asPieces(text: string): string {
  return MAY_BE_UNSPACED.test(text) ? clean(text).replace(UNSPACED, " ") : clean(text);
}
