// Decides whether two memories say the same thing. Pure and deterministic.
import { hashText } from "../../context/canonical.ts";

/** Two texts with this share of common shingles say the same thing, if no distinctive token differs. */
const MIN_COMMON_SHINGLE_SHARE = 0.6;
/** Texts with fewer tokens than this say the same thing only if all their tokens are equal. */
const MIN_COMPARED_TOKENS = 4;

/** Holds the parts of a text that are compared; computed once per text. */
export interface Fingerprint {
  /**
   * Exact duplicates have the same digest: case, spaces, quotes and punctuation at the ends of words don't
   * count.
   */
  readonly digest: string;
  readonly tokens: readonly string[];
  readonly shingles: ReadonlySet<string>;
  /** Numbers, names in code and words that reverse a meaning: if these differ, so do the facts. */
  readonly distinctive: string;
  /** Words within a sentence that begin with a capital letter. */
  readonly names: readonly string[];
}

export function fingerprint(text: string): Fingerprint {
  const chunks = text.normalize("NFKC").split(/\s+/u).flatMap(splitChunk);
  const tokens = chunks.map((chunk) => chunk.toLowerCase());
  const telling = chunks.filter(isDistinctive).map((chunk) => chunk.toLowerCase());
  return {
    digest: hashText(tokens.join(" ")),
    tokens,
    shingles: buildShingles(tokens),
    distinctive: [...new Set(telling)].toSorted().join(" "),
    names: findNames(text.normalize("NFKC")),
  };
}

/** Returns true if the two texts say the same thing, so that one of them is enough. */
export function areSimilar(one: Fingerprint, other: Fingerprint): boolean {
  if (one.digest === other.digest) return true;
  if (one.distinctive !== other.distinctive || haveDistinctNames(one, other)) return false;
  if (Math.min(one.tokens.length, other.tokens.length) < MIN_COMPARED_TOKENS) return false;
  return computeCommonShare(one.shingles, other.shingles) >= MIN_COMMON_SHINGLE_SHARE;
}

/** Returns true if each has a name that the other lacks: one is about Oslo, the other about Hamburg. */
function haveDistinctNames(one: Fingerprint, other: Fingerprint): boolean {
  return hasExtraNames(one, other) && hasExtraNames(other, one);
}

function hasExtraNames({ names }: Fingerprint, { tokens }: Fingerprint): boolean {
  return names.some((name) => !tokens.includes(name));
}

const NAME_PATTERN = /(?<=[^.!?:\s]\s+[("'“„]*)\p{Lu}\p{L}+/gu;

function findNames(text: string): readonly string[] {
  return [...text.matchAll(NAME_PATTERN)].map(([name]) => name.toLowerCase());
}

/** In scripts that put no spaces between words, each letter is a token of its own. */
const UNSPACED_PATTERN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const OUTER_PUNCTUATION_PATTERN = /^[^\p{L}\p{N}$@#_/.~-]+|[^\p{L}\p{N}_/]+$/gu;

function splitChunk(chunk: string): readonly string[] {
  const bare = chunk.replace(OUTER_PUNCTUATION_PATTERN, "");
  if (bare === "") return [];
  return UNSPACED_PATTERN.test(bare) ? [...bare] : [bare];
}

/** Matches words that limit or reverse a meaning: a rule and its opposite are never the same fact. */
const QUALIFIER_PATTERN =
  /^(?:not|no|never|none|without|only|except|unless|must|may|cannot|can't|don't|doesn't|isn't|aren't|won't|nicht|nie|kein\w*|ohne|nur)$/i;

function isDistinctive(token: string): boolean {
  return (
    /[\p{N}_/.:@#$\\]|\p{Ll}\p{Lu}|^-|^\p{Lu}{2,}/u.test(token) || QUALIFIER_PATTERN.test(token)
  );
}

/** Returns the single tokens, and the pairs of neighbouring tokens. */
function buildShingles(tokens: readonly string[]): ReadonlySet<string> {
  const pairs = tokens.slice(1).map((token, at) => `${tokens[at]} ${token}`);
  return new Set([...tokens, ...pairs]);
}

function computeCommonShare(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((shingle) => other.has(shingle)).length;
  const all = one.size + other.size - common;
  return all === 0 ? 0 : common / all;
}
