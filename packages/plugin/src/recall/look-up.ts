// A look-up: the best hits, each with the lines that answer.
import type { IndexedPart, IndexStore, PassageRange } from "./index-store.ts";
import type { RecordLine } from "./quote.ts";
import type { Hit } from "./ranking.ts";
import { search } from "./search.ts";
import { linesOf, snippetOf } from "./snippet.ts";
import type { Term } from "./words.ts";

/** A hit with its snippet. */
export interface ShownHit {
  readonly part: IndexedPart;
  readonly lines: readonly RecordLine[];
}

export interface LookUp {
  readonly hits: readonly ShownHit[];
  /** Passages that match besides, of parts that the model sees already. */
  readonly inContext: number;
}

const MAX_HITS = 8;
const HITS_PER_PART = 2;
/** The best hit gets more room: it holds the answer most of the time. */
const SNIPPET_TOKENS = { best: 400, other: 170 };

/** @param shown ids of parts that the model sees already */
export function lookUp(
  store: IndexStore,
  range: PassageRange,
  terms: readonly Term[],
  shown: ReadonlySet<string>,
): LookUp {
  const { hits, words, inContext } = search(store.driver, range, terms, shown);
  const chosen = fewPerPart(hits).slice(0, MAX_HITS);
  return {
    inContext,
    hits: chosen.map(({ part, at }, rank) => {
      const around = linesOf(store.passages(part, Math.max(0, at - 1), 3));
      const budget = rank === 0 ? SNIPPET_TOKENS.best : SNIPPET_TOKENS.other;
      return { part, lines: snippetOf(around, words, budget) };
    }),
  };
}

function fewPerPart(hits: readonly Hit[]): readonly Hit[] {
  const counts = new Map<number, number>();
  return hits.filter(({ part }) => {
    const count = (counts.get(part.id) ?? 0) + 1;
    counts.set(part.id, count);
    return count <= HITS_PER_PART;
  });
}
