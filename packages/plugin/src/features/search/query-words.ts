// Parses a query into the words that are searched in both tables of the index.
import type { Term } from "../../feature-api/finders.ts";
import {
  cleanText,
  MAYBE_UNSPACED_PATTERN,
  toPiecesColumn,
  toWordsColumn,
  UNSPACED_PATTERN,
} from "../../search-index/columns.ts";

// Lists words that say little about what a query or a prompt is about.

/** Words that questions contain, whatever they ask for. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  "a about an and are as at be by can did do does for from had has have how i in is it of on or our that the their this to us was we were what when where which who why will with you your".split(
    " ",
  ),
);

/**
 * Words that prompts also contain, whatever they are about. In a query these words count, because somebody
 * chose them.
 */
export const PROMPT_WORDS: ReadonlySet<string> = new Set(
  "add again all also any back been before better change check code continue could current don't done error every file files find fix fixed function get give go good had here if implement into issue it's just keep know last let let's like line look make me more most move must need new next no not now one only other out over please problem put read remove rename run same see set should show some start still sure take test tests than thanks that's them then there these they thing think those through too try two update use used using very want way well whole without work working works would write wrong yes yet".split(
    " ",
  ),
);

/** A pasted log is searched by its beginning. */
const MAX_QUERY_CHARS = 4_000;
const MAX_TERMS = 32;
const MAX_TRIGRAMS = 8;

/** Treats any query as plain words; returns none if the query has no letter or digit. */
export function parseTerms(query: string): readonly Term[] {
  const chunks = cleanText(query.slice(0, MAX_QUERY_CHARS)).toLowerCase().split(/\s/u);
  const texts = [...new Set(chunks.flatMap(splitChunk))];
  const telling = texts.filter((text) => !QUESTION_WORDS.has(text));
  return (telling.length > 0 ? telling : texts).slice(0, MAX_TERMS).map(toTerm);
}

const OUTER_PUNCTUATION_PATTERN = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
const TOKEN_PATTERN = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const UNSPACED_RUN_PATTERN = new RegExp(`(?:${UNSPACED_PATTERN.source})+`, "gu");

/** Returns a chunk itself and its pieces: a path's names, or the pairs of characters of a run without spaces. */
function splitChunk(chunk: string): readonly string[] {
  const whole = chunk.replace(OUTER_PUNCTUATION_PATTERN, "");
  if (whole === "") return [];
  return [whole, ...(whole.match(TOKEN_PATTERN) ?? []), ...listCharacterPairs(whole)];
}

function listCharacterPairs(text: string): readonly string[] {
  if (!MAYBE_UNSPACED_PATTERN.test(text)) return [];
  return (text.match(UNSPACED_RUN_PATTERN) ?? []).flatMap((run) => {
    const characters = run.match(UNSPACED_PATTERN) ?? [];
    if (characters.length <= 2) return [run];
    return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
  });
}

const WORD_PATTERN = /^[\p{L}\p{N}]{2,}$/u;

const MAX_JOINED_TERMS = 6;

/** Joins neighbours as names in code do: "max entries" matches `kMaxEntries`. */
export function joinTerms(terms: readonly Term[]): readonly Term[] {
  const names = terms.slice(1).flatMap(({ text }, at) => {
    const before = terms[at]?.text ?? "";
    return WORD_PATTERN.test(before) && WORD_PATTERN.test(text) ? [toTerm(before + text)] : [];
  });
  return names.slice(0, MAX_JOINED_TERMS);
}

function toTerm(text: string): Term {
  const phrase = `"${toWordsColumn(text.replaceAll('"', " "))}"`;
  const grams = buildTrigrams(toPiecesColumn(text));
  const pieces = grams.map((gram) => `"${gram}"`).join(" AND ");
  return { text, phrase, pieces: grams.length === 0 ? null : pieces };
}

function buildTrigrams(text: string): readonly string[] {
  const grams = new Set<string>();
  for (const word of text.split(/[\s"]+/u)) {
    const characters = [...word];
    for (let at = 0; at + 3 <= characters.length; at += 1) {
      grams.add(characters.slice(at, at + 3).join(""));
    }
  }
  const all = [...grams];
  const step = Math.max(1, Math.ceil(all.length / MAX_TRIGRAMS));
  return all.filter((_, at) => at % step === 0);
}
