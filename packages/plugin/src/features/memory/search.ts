// Finds memories and notes by words or pieces of them. Pure.
import type { Term } from "../../feature-api/finders.ts";

/** A searchable text, which is prepared once per version of the store. */
export interface SearchableText<Item> {
  readonly item: Item;
  /** The text in lower case. */
  readonly text: string;
}

/** A text has to match this share of the weight of all terms. */
const MIN_MATCHED_WEIGHT_SHARE = 0.4;
/** A match with a part of a word counts this share of a match with a whole word. */
const PARTIAL_MATCH_STRENGTH = 0.6;
const MIN_PARTIAL_MATCH_CHARS = 3;

export function toSearchableText<Item>(item: Item, text: string): SearchableText<Item> {
  return { item, text: text.toLowerCase() };
}

/** Returns the matching items, best first: rare terms, whole words and short texts count more. */
export function searchTexts<Item>(
  all: readonly SearchableText<Item>[],
  terms: readonly Term[],
): readonly Item[] {
  const scores = new Float64Array(all.length);
  let total = 0;
  for (const { text } of terms) {
    const { strengths, matched } = measureMatches(all, text);
    const weight = Math.log(1 + all.length / (matched + 1));
    total += weight;
    for (let at = 0; at < all.length; at++)
      scores[at] = (scores[at] ?? 0) + (strengths[at] ?? 0) * weight;
  }
  const least = MIN_MATCHED_WEIGHT_SHARE * total;
  return all
    .flatMap(({ item, text }, at) => {
      const score = scores[at] ?? 0;
      return score > 0 && score >= least ? [{ item, score, length: text.length }] : [];
    })
    .toSorted((left, right) => right.score - left.score || left.length - right.length)
    .map(({ item }) => item);
}

/**
 * Returns how strongly each text matches a term, by the text's index. It must be fast, because thousands of
 * texts are searched while a model waits.
 */
function measureMatches(all: readonly SearchableText<unknown>[], term: string) {
  const strengths = new Float32Array(all.length);
  let matched = 0;
  for (let index = 0; index < all.length; index++) {
    const text = all[index]?.text ?? "";
    const at = text.indexOf(term);
    if (at === -1) continue;
    const isFound = hasWholeWord(text, term, at);
    if (!isFound && term.length < MIN_PARTIAL_MATCH_CHARS) continue;
    strengths[index] = isFound ? 1 : PARTIAL_MATCH_STRENGTH;
    matched += 1;
  }
  return { strengths, matched };
}

/** Returns true if the term is a whole word anywhere in the text. @param first the term's first place */
function hasWholeWord(text: string, term: string, first: number): boolean {
  for (let at = first; at !== -1; at = text.indexOf(term, at + 1)) {
    if (!isWordCharacter(text, at - 1) && !isWordCharacter(text, at + term.length)) return true;
  }
  return false;
}

const FIRST_NON_ASCII_CODE = 0x80;

/** Returns true if the character at an index is a letter or digit; the text is in lower case. */
function isWordCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code >= FIRST_NON_ASCII_CODE) return /[\p{L}\p{N}]/u.test(text[at] ?? "");
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a);
}
