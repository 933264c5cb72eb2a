// A look-up: the best hits, each with the lines that answer.
import { folded } from "./fold-text.ts";
import type { IndexedPart, IndexStore, PassageRange } from "./index-store.ts";
import type { RecordLine } from "./quote.ts";
import { coverage, type Hit, type WeighedWord } from "./ranking.ts";
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
  const chosen = new Chosen(words);
  for (const { part, at } of fewPerPart(hits)) {
    if (chosen.hits.length === MAX_HITS) break;
    const around = linesOf(store.passages(part, Math.max(0, at - 1), 3));
    const budget = chosen.hits.length === 0 ? SNIPPET_TOKENS.best : SNIPPET_TOKENS.other;
    chosen.add({ part, lines: snippetOf(around, words, budget) });
  }
  return { inContext, hits: chosen.hits };
}

/** Places of one record that lie near each other would show the same lines: each line is shown once. */
class Chosen {
  readonly hits: ShownHit[] = [];
  readonly #shown = new Map<number, Set<number>>();

  constructor(private readonly words: readonly WeighedWord[]) {}

  /** Without a line that holds what was looked for, it says nothing new. */
  add({ part, lines }: ShownHit): void {
    const shown = this.#shown.get(part.id) ?? new Set();
    const fresh = lines.filter(({ number }) => !shown.has(number));
    const tells = fresh.some(({ text }) => coverage(folded(text), this.words) > 0);
    if (shown.size > 0 && !tells) return;
    this.hits.push({ part, lines: fresh });
    this.#shown.set(part.id, new Set([...shown, ...fresh.map(({ number }) => number)]));
  }
}

function fewPerPart(hits: readonly Hit[]): readonly Hit[] {
  const counts = new Map<number, number>();
  return hits.filter(({ part }) => {
    const count = (counts.get(part.id) ?? 0) + 1;
    counts.set(part.id, count);
    return count <= HITS_PER_PART;
  });
}
