// Prepares texts for both word tables.

/**
 * Matches scripts without spaces between words, or with many word endings. Each of their characters becomes a
 * word, so that a phrase finds any part of a text, of one character or of twenty.
 */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]\p{M}*/gu;

/** No character below this one belongs to such a script, so most texts need no further check. */
const FIRST_UNSPACED = "\u0e00";
export const MAY_BE_UNSPACED = new RegExp(`[${FIRST_UNSPACED}-\u{10ffff}]`, "u");

/**
 * Replaces what SQLite can't store: a NUL ends a text, and half a surrogate pair becomes another character.
 */
export const clean = (text: string) => text.replace(/[\0\ufffd\p{Surrogate}]/gu, " ");

/** Prepares a text for the word table. */
export function toWords(text: string): string {
  return MAY_BE_UNSPACED.test(text) ? clean(text).replace(UNSPACED, " $& ") : clean(text);
}

/** Prepares a text for the trigram table, without what the word table already finds by any part. */
export function toPieces(text: string): string {
  return MAY_BE_UNSPACED.test(text) ? clean(text).replace(UNSPACED, " ") : clean(text);
}
