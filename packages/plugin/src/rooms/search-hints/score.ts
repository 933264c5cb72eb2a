// How much a text is about a prompt, and from where on a hint is worth its line. Pure.
// Folder: Search hints: a line after a prompt that earlier work says something about.

import type { Term } from "../../features/finders.ts";
import { folded, presence } from "../recall/fold-text.ts";
import type { WeighedWord } from "../recall/ranking.ts";
import { termsOf } from "../recall/words.ts";

/**
 * Over the recorded prompts in `test/search-hints/recorded.ts`, from 0.37 on at most one hint in ten is wrong;
 * the test beside them derives that again. The rest is a margin, as other projects have other words.
 */
export const LEAST_SCORE = 0.45;

/** Prompts hold them whatever they are about. */
const GENERIC: ReadonlySet<string> = new Set(
  "add again all also any back been before better change check code continue could current don't done error every file files find fix fixed function get give go good had here if implement into issue it's just keep know last let let's like line look make me more most move must need new next no not now one only other out over please problem put read remove rename run same see set should show some start still sure take test tests than thanks that's them then there these they thing think those through too try two update use used using very want way well whole without work working works would write wrong yes yet".split(
    " ",
  ),
);

/** Fewer words in common are chance. */
const LEAST_WORDS = 2;
/** A prompt of one or two distinctive words is held too easily. */
const USUAL_WORDS = 4;

/** What a prompt is about. */
export function tellingTerms(prompt: string): readonly Term[] {
  return termsOf(prompt).filter(({ text }) => !GENERIC.has(text) && !/^\d{1,2}$/.test(text));
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
  if (all === 0 || matched < LEAST_WORDS) return 0;
  return (sum / all) * Math.min(1, Math.sqrt(matched / USUAL_WORDS));
}
