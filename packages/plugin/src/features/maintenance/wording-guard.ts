// Extracts the substance of a text, and tests whether another text still contains it. Pure and deterministic.
import { fingerprint } from "../memory/similar.ts";

/** Words that contribute nothing to a fact. Words that reverse a meaning are not among them. */
const FILLER_WORDS = new Set(
  (
    "a an the is are was were be been being am do does did has have had it its this that these those there " +
    "here which who whom whose we you they our your their i as so such please note notice basically actually " +
    "really very just currently presently generally simply also quite rather always remember important " +
    "importantly know fact case point worth mentioning keep mind aware order project codebase repository " +
    "of in on at to for with by from and will would should can could"
  ).split(" "),
);

/** Holds the parts of a fact that are compared. */
export interface FactSubstance {
  /** Identifiers, numbers, paths and negations. */
  readonly distinctive: ReadonlySet<string>;
  /** The stems of the other words that carry meaning, in their order. */
  readonly stems: readonly string[];
}

export function extractSubstance(text: string): FactSubstance {
  const { tokens, distinctive } = fingerprint(text);
  const said = new Set(distinctive.split(" ").filter((one) => one !== ""));
  const words = tokens.filter((token) => !said.has(token) && !FILLER_WORDS.has(token));
  return { distinctive: said, stems: [...new Set(words.map(stemWord))] };
}

/** Removes the endings of plurals and verbs, such as those of "listens", "listening" and "listened". */
function stemWord(word: string): string {
  const stem = word.replace(/(?:ingly|edly|ings|ing|ies|ied|ed|es|s|ly)$/u, "");
  return stem.length >= 3 ? stem : word;
}

/** Lists the tokens that `all` has and `some` lacks. */
export function listMissingTokens(
  all: Iterable<string>,
  some: ReadonlySet<string>,
): readonly string[] {
  return [...all].filter((one) => !some.has(one));
}

/** Returns the share of `old`'s words that `text` also has, from 0 to 1; 1 if `old` has none. */
export function computeKeptShare(old: FactSubstance, text: FactSubstance): number {
  const kept = new Set(text.stems);
  const { length } = old.stems;
  return length === 0 ? 1 : old.stems.filter((stem) => kept.has(stem)).length / length;
}

/** Returns true if the words that `text` takes from `old` are in the same order. */
export function keepsOrder(old: FactSubstance, text: FactSubstance): boolean {
  const places = new Map(old.stems.map((stem, place) => [stem, place]));
  const taken = text.stems.flatMap((stem) => places.get(stem) ?? []);
  return taken.every((place, at) => place > (taken[at - 1] ?? -1));
}

/** Returns the share of the shorter fact's words that the other fact also has, from 0 to 1. */
export function measureSimilarity(one: FactSubstance, other: FactSubstance): number {
  const [a, b] = [collectWords(one), collectWords(other)];
  const least = Math.min(a.size, b.size);
  if (least === 0) return 0;
  return [...a].filter((word) => b.has(word)).length / least;
}

export function collectWords({ distinctive, stems }: FactSubstance): ReadonlySet<string> {
  return new Set([...distinctive, ...stems]);
}
