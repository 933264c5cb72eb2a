// Decides whether two memories say the same. Pure and deterministic.
import { hashText } from "../../context/canonical.ts";

/** Two texts with this share of common shingles say the same, if no distinctive token differs. */
const MIN_COMMON_SHARE = 0.6;
/** Shorter texts say the same only where their tokens are equal. */
const MIN_TOKENS = 4;

/** A text as it is compared; made once per text. */
export interface Fingerprint {
  /** Exact duplicates have the same digest: case, spaces, quotes and punctuation at words' ends don't count. */
  readonly digest: string;
  readonly tokens: readonly string[];
  readonly shingles: ReadonlySet<string>;
  /** Numbers, names of code and words that turn a meaning round: where they differ, so do the facts. */
  readonly distinctive: string;
  /** Words that begin with a capital within a sentence. */
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

/** Returns true when one of them is enough. */
export function areSimilar(one: Fingerprint, other: Fingerprint): boolean {
  if (one.digest === other.digest) return true;
  if (one.distinctive !== other.distinctive || haveDistinctNames(one, other)) return false;
  if (Math.min(one.tokens.length, other.tokens.length) < MIN_TOKENS) return false;
  return computeCommonShare(one.shingles, other.shingles) >= MIN_COMMON_SHARE;
}

/** Returns true when each names what the other doesn't: one says of Oslo what the other says of Hamburg. */
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

/** Letters of scripts that put no spaces between words count one by one. */
const UNSPACED_PATTERN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const OUTER_PUNCTUATION_PATTERN = /^[^\p{L}\p{N}$@#_/.~-]+|[^\p{L}\p{N}_/]+$/gu;

function splitChunk(chunk: string): readonly string[] {
  const bare = chunk.replace(OUTER_PUNCTUATION_PATTERN, "");
  if (bare === "") return [];
  return UNSPACED_PATTERN.test(bare) ? [...bare] : [bare];
}

/** Compared as whole tokens: two ports, two files or a rule and its opposite are never one fact. */
const QUALIFIER_PATTERN =
  /^(?:not|no|never|none|without|only|except|unless|must|may|cannot|can't|don't|doesn't|isn't|aren't|won't|nicht|nie|kein\w*|ohne|nur)$/i;

function isDistinctive(token: string): boolean {
  return (
    /[\p{N}_/.:@#$\\]|\p{Ll}\p{Lu}|^-|^\p{Lu}{2,}/u.test(token) || QUALIFIER_PATTERN.test(token)
  );
}

/** Single tokens without common words, and pairs of neighbours. */
function buildShingles(tokens: readonly string[]): ReadonlySet<string> {
  const pairs = tokens.slice(1).map((token, at) => `${tokens[at]} ${token}`);
  return new Set([...tokens, ...pairs]);
}

function computeCommonShare(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((shingle) => other.has(shingle)).length;
  const all = one.size + other.size - common;
  return all === 0 ? 0 : common / all;
}
