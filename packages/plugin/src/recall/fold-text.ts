// Texts compared as the index compares them, without case and accents; and cut between characters.

/** By code units, as a regular expression with control characters is not allowed. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

export function folded(text: string): string {
  const lower = text.toLowerCase();
  return isAscii(lower) ? lower : lower.normalize("NFD").replace(/\p{Mn}/gu, "");
}

/** About what the table's stemmer leaves of an English word. */
export function stemOf(word: string): string {
  return /^[a-z]{6,}$/.test(word) ? word.slice(0, Math.max(4, word.length - 3)) : word;
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** How well a folded text holds a folded word: 1 as a word, less as a piece of one, or as its stem only. */
export function presence(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at === -1) return text.includes(stemOf(word)) ? 0.6 : 0;
  const isPiece =
    WORD_CHARACTER.test(text.charAt(at - 1)) || WORD_CHARACTER.test(text.charAt(at + word.length));
  return isPiece ? 0.8 : 1;
}

/** A piece of a text, without half of a character at its ends. */
export function wholeCharacters(text: string, start: number, end: number): string {
  return text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
