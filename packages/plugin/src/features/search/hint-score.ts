// How much a text is about a prompt, and from where on a hint is worth its line. Pure.

import type { Term } from "../../feature-api/finders.ts";
import { folded, presence } from "./fold-text.ts";
import { parseTerms } from "./query-words.ts";
import type { WeighedWord } from "./ranking.ts";
import { PROMPT_WORDS } from "./stop-words.ts";

/**
 * Over the recorded prompts in `test/search-hints/recorded.ts`, from 0.37 on at most one hint in ten is wrong;
 * the test beside them derives that again. The rest is a margin, as other projects have other words.
 */
export const MIN_SCORE = 0.45;

/** Fewer words in common are chance. */
const MIN_WORDS = 2;
/** A prompt of one or two distinctive words is held too easily. */
const USUAL_WORDS = 4;

/** What a prompt is about. */
export function distinctiveTerms(prompt: string): readonly Term[] {
  return parseTerms(prompt).filter(
    ({ text }) => !PROMPT_WORDS.has(text) && !/^\d{1,2}$/.test(text),
  );
}

/** From 0 to 1: how much of what the prompt is about the text holds, rare words first. */
export function hintScore(text: string, words: readonly WeighedWord[]): number {
  const held = folded(text);
  let [sum, all, matched] = [0, 0, 0];
  for (const { text: word, weight } of words) {
    const strength = presence(held, word);
    all += weight;
    sum += weight * strength;
    if (strength > 0) matched += 1;
  }
  if (all === 0 || matched < MIN_WORDS) return 0;
  return (sum / all) * Math.min(1, Math.sqrt(matched / USUAL_WORDS));
}
