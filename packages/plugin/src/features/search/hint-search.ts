// Searches earlier work for what it says about a prompt, and scores whether that is worth a line.
import type { Finders, Term } from "../../feature-api/finders.ts";
import type { Ref } from "../../ledger/ref.ts";
import type { SentHistory } from "../../ledger/revise.ts";
import type { CollectionScope } from "../../search-index/collection.ts";
import type { IndexFile } from "../../search-index/file.ts";
import type { SessionId } from "../../storage/records.ts";
import { lookUpHits } from "./answer.ts";
import { foldCase, scoreWordPresence } from "./fold-text.ts";
import { PROMPT_WORDS, parseTerms } from "./query-words.ts";
import type { WeighedWord } from "./ranking.ts";
import { createInContextTest, type IsPartInContext } from "./search.ts";

// Scores how much a text is about a prompt, and sets the score from which a hint is worth its line. Pure.

/**
 * On the prompts recorded in `test/search-hints/recorded.ts`, at most one hint in ten is wrong from 0.37 on;
 * the test beside them computes that again. The rest is a margin, as other projects use other words.
 */
export const MIN_HINT_SCORE = 0.45;

/** Fewer words in common than this may be a coincidence. */
const MIN_COMMON_WORDS = 2;
/** A prompt with only one or two distinctive words would match too easily, so at least this many are assumed. */
const MIN_ASSUMED_WORDS = 4;

/** Lists the words that show what a prompt is about. */
export function listDistinctiveTerms(prompt: string): readonly Term[] {
  return parseTerms(prompt).filter(
    ({ text }) => !PROMPT_WORDS.has(text) && !/^\d{1,2}$/.test(text),
  );
}

/** Returns from 0 to 1 how many of the prompt's words the text holds, weighted by rarity. */
export function scoreHint(text: string, words: readonly WeighedWord[]): number {
  const held = foldCase(text);
  let [sum, all, matched] = [0, 0, 0];
  for (const { text: word, weight } of words) {
    const strength = scoreWordPresence(held, word);
    all += weight;
    sum += weight * strength;
    if (strength > 0) matched += 1;
  }
  if (all === 0 || matched < MIN_COMMON_WORDS) return 0;
  return (sum / all) * Math.min(1, Math.sqrt(matched / MIN_ASSUMED_WORDS));
}

// Tests whether a session shows a part of the index, or is about to.

/**
 * When a session rests, its newest messages are indexed before its next call shows them; they are newer than
 * all that was sent, and count as shown. If nothing was sent, it is unknown what the session shows, and no
 * part counts as shown.
 */
export function createShownOrPendingTest(
  sessionId: SessionId,
  history: SentHistory | undefined,
): IsPartInContext {
  const isSent = createInContextTest(history);
  const newestId = history?.host
    .map(({ info }) => info.id)
    .toSorted()
    .at(-1);
  return (part) =>
    isSent(part) ||
    (newestId !== undefined && part.sessionId === sessionId && part.messageId > newestId);
}

export interface Hint {
  readonly ref: Ref;
  /** A few words that describe the finding. */
  readonly words: string;
  readonly text: string;
  readonly score: number;
}

interface FindHintDeps {
  /** Finders of other features; they return nothing that the session's context holds. */
  readonly finders: Pick<Finders, "search">;
  /** Recall's index. */
  readonly file: Pick<IndexFile, "use">;
}

/** Returns the best hint, whatever its score; null if nothing is about the prompt. */
export async function findHint(
  { finders, file }: FindHintDeps,
  scope: CollectionScope,
  prompt: string,
  isShown: IsPartInContext,
): Promise<Hint | null> {
  const terms = listDistinctiveTerms(prompt);
  if (terms.length < 2) return null;
  const found = await finders.search(scope.sessionId as SessionId, terms);
  return file.use((store) => {
    const range = store.findRange(scope, "project");
    const { hits, words } = lookUpHits(store, range, terms, isShown);
    // Tool output is left out: it can be read again, and it may contain any word.
    const said = hits.filter(({ part }) => part.kind !== "output");
    const hints = [
      ...found.findings.map((one) => ({ ...one, text: one.lines.join(" ") })),
      ...said.map(({ part, lines }) => ({
        ref: part.ref,
        words: `said by the ${part.kind}`,
        text: lines.map(({ text }) => text).join(" "),
      })),
    ].map(({ ref, words: what, text }): Hint => {
      return { ref, words: what, text, score: scoreHint(text, words) };
    });
    return hints.reduce<Hint | null>(
      (best, hint) => (hint.score > (best?.score ?? 0) ? hint : best),
      null,
    );
  });
}
