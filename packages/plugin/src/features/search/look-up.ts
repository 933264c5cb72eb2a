// Runs a search and returns the best hits, each with the lines that answer.

import type { RecordLine } from "../../context/quote.ts";
import type { Term } from "../../feature-api/finders.ts";
import type { PassageRange } from "../../search-index/collection.ts";
import type { IndexedDocument } from "../../search-index/document.ts";
import type { IndexStore } from "../../search-index/store.ts";
import { foldCase } from "./fold-text.ts";
import { coverage, type Hit, type WeighedWord } from "./ranking.ts";
import { type IsPartInContext, search } from "./search.ts";
import { cutSnippet, joinPassages } from "./snippet.ts";

/** Holds a hit with its snippet. */
export interface ShownHit {
  readonly part: IndexedDocument;
  readonly lines: readonly RecordLine[];
}

export interface SearchIndex {
  readonly hits: readonly ShownHit[];
  /** The words of the query. */
  readonly words: readonly WeighedWord[];
  /** The number of other passages that match, in parts that the model sees already. */
  readonly inContext: number;
}

const MAX_HITS = 8;
const HITS_PER_PART = 2;
/** The best hit gets more space: it holds the answer most of the time. */
const SNIPPET_TOKENS = { best: 400, other: 170 };

export function lookUp(
  store: IndexStore,
  range: PassageRange,
  terms: readonly Term[],
  isShown: IsPartInContext,
): SearchIndex {
  const { hits, words, inContext } = search(store.driver, range, terms, isShown);
  const chosen: ShownHit[] = [];
  for (const { part, at } of fewPerPart(hits)) {
    if (chosen.length === MAX_HITS) break;
    const around = joinPassages(store.passages(part, Math.max(0, at - 1), 3));
    const budget = chosen.length === 0 ? SNIPPET_TOKENS.best : SNIPPET_TOKENS.other;
    const hit = { part, lines: cutSnippet(around, words, budget) };
    const former = chosen.filter((one) => one.part.id === part.id).flatMap(({ lines }) => lines);
    chosen.push(...(former.length === 0 ? [hit] : fresh(hit, former, words)));
  }
  return { inContext, words, hits: chosen };
}

/**
 * Removes lines shown already: places of one record that lie near each other share lines. Returns nothing if no
 * remaining line holds a word of the query.
 */
function fresh(
  { part, lines }: ShownHit,
  former: readonly RecordLine[],
  words: readonly WeighedWord[],
): readonly ShownHit[] {
  const shown = new Set(former.map(({ number }) => number));
  const others = lines.filter(({ number }) => !shown.has(number));
  const tells = others.some(({ text }) => coverage(foldCase(text), words) > 0);
  return tells ? [{ part, lines: others }] : [];
}

function fewPerPart(hits: readonly Hit[]): readonly Hit[] {
  const counts = new Map<number, number>();
  return hits.filter(({ part }) => {
    const count = (counts.get(part.id) ?? 0) + 1;
    counts.set(part.id, count);
    return count <= HITS_PER_PART;
  });
}
