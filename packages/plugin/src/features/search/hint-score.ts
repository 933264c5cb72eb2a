// Scores how much a text is about a prompt, and sets the score from which a hint is worth its line. Pure.

import type { Term } from "../../feature-api/finders.ts";
import { foldCase, wordPresence } from "./fold-text.ts";
import { parseTerms } from "./query-words.ts";
import type { WeighedWord } from "./ranking.ts";
import { PROMPT_WORDS } from "./stop-words.ts";

/**
 * Over the recorded prompts in `test/search-hints/recorded.ts`, at most one hint in ten is wrong from 0.37 on; the
 * test beside them computes that again. The rest is a margin, as other projects have other words.
 */
export const MIN_SCORE = 0.45;

/** Fewer words in common than this are chance. */
const MIN_WORDS = 2;
/** A prompt with only one or two distinctive words would match too easily, so at least this many are assumed. */
const USUAL_WORDS = 4;

/** Lists the words that show what a prompt is about. */
export function distinctiveTerms(prompt: string): readonly Term[] {
  return parseTerms(prompt).filter(
    ({ text }) => !PROMPT_WORDS.has(text) && !/^\d{1,2}$/.test(text),
  );
}

/** Returns from 0 to 1 how many of the prompt's words the text holds, weighted by rarity. */
export function hintScore(text: string, words: readonly WeighedWord[]): number {
  const held = foldCase(text);
  let [sum, all, matched] = [0, 0, 0];
  for (const { text: word, weight } of words) {
    const strength = wordPresence(held, word);
    all += weight;
    sum += weight * strength;
    if (strength > 0) matched += 1;
  }
  if (all === 0 || matched < MIN_WORDS) return 0;
  return (sum / all) * Math.min(1, Math.sqrt(matched / USUAL_WORDS));
}
