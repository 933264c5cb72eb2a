// Computes the words of a document for the word tables; adding and removing a document must give the same words.
import type { ProjectDocumentKind } from "./collection.ts";

// Prepares texts for both word tables.

/**
 * Matches scripts without spaces between words, or with many word endings. Each of their characters becomes a
 * word, so that a phrase finds any part of a text, of one character or of twenty.
 */
export const UNSPACED_PATTERN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]\p{M}*/gu;

/**
 * The first character that may match `UNSPACED_PATTERN`; most texts have only lower ones and need no further
 * check.
 */
const FIRST_UNSPACED_CHARACTER = "\u0e00";
export const MAYBE_UNSPACED_PATTERN = new RegExp(`[${FIRST_UNSPACED_CHARACTER}-\u{10ffff}]`, "u");

/**
 * Replaces what SQLite can't store: a NUL ends a text, and half a surrogate pair becomes another character.
 */
export const cleanText = (text: string) => text.replace(/[\0\ufffd\p{Surrogate}]/gu, " ");

/** Prepares a text for the word table. */
export function toWordsColumn(text: string): string {
  return MAYBE_UNSPACED_PATTERN.test(text)
    ? cleanText(text).replace(UNSPACED_PATTERN, " $& ")
    : cleanText(text);
}

/**
 * Prepares a text for the trigram table, without the scripts of which the word table already finds any part.
 */
export function toPiecesColumn(text: string): string {
  return MAYBE_UNSPACED_PATTERN.test(text)
    ? cleanText(text).replace(UNSPACED_PATTERN, " ")
    : cleanText(text);
}

/**
 * Says whose words a document holds: the user's, the assistant's, a tool's or an attachment's, or the
 * project's.
 */
export type DocumentKind = "user" | "assistant" | "output" | ProjectDocumentKind;

/** Separates the fields of a text that has several; no word contains it. */
export const FIELD_SEPARATOR = "\x1f";

/** The weights of a commit's fields: subject, body, paths, author. A match in the subject counts most. */
const COMMIT_FIELD_WEIGHTS = [4, 1, 2, 1];

interface Columns {
  readonly words: string;
  /** The text for matching parts of words; null if the document isn't matched by them. */
  readonly pieces: string | null;
}

/**
 * Returns the columns of the document's passage `at`, from 0; the first one also matches the document's own
 * words.
 */
export function toSearchColumns(
  { kind, words }: { readonly kind: DocumentKind; readonly words: string },
  at: number,
  text: string,
): Columns {
  switch (kind) {
    case "commit":
      return { words: toWordsColumn(repeatWeightedFields(text)), pieces: null };
    case "memory":
    case "segment":
      // Memories and segments are searched in their own stores.
      return { words: "", pieces: null };
    case "user":
    case "assistant":
    case "output": {
      const whole = at === 0 ? `${words}\n${text}` : text;
      return { words: toWordsColumn(whole), pieces: toPiecesColumn(whole) };
    }
  }
}

function repeatWeightedFields(text: string): string {
  const fields = text.split(FIELD_SEPARATOR);
  return fields.flatMap((field, at) => Array(COMMIT_FIELD_WEIGHTS[at] ?? 1).fill(field)).join("\n");
}
