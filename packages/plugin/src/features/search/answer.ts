// Runs the searches of `ctx_search` and renders its answer: hits with the lines that answer, bounded.
import {
  frameRecalledQuotes,
  numberTexts,
  type RecordLine,
  renderQuote,
  toSingleLine,
} from "../../context/frames.ts";
import { type Finding, fuseByRank, type Term } from "../../feature-api/finders.ts";
import { estimateTokens } from "../../ledger/tokens.ts";
import type { PassageRange } from "../../search-index/collection.ts";
import type { IndexedDocument } from "../../search-index/document.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { SessionId } from "../../storage/records.ts";
import { foldCase } from "./fold-text.ts";
import { computeWordCoverage, type Hit, type WeighedWord } from "./ranking.ts";
import { type IsPartInContext, search } from "./search.ts";
import { cutSnippet, joinPassages } from "./snippet.ts";

// Runs a search and returns the best hits, each with the lines that answer.

/** Holds a hit with its snippet. */
export interface ShownHit {
  readonly part: IndexedDocument;
  readonly lines: readonly RecordLine[];
}

export interface LookupResult {
  readonly hits: readonly ShownHit[];
  /** The words of the query. */
  readonly words: readonly WeighedWord[];
  /** The number of other passages that match, in parts that the model sees already. */
  readonly inContext: number;
}

const MAX_HITS = 8;
const MAX_HITS_PER_PART = 2;
/** The best hit gets more space: it holds the answer most of the time. */
const SNIPPET_TOKENS = { best: 400, other: 170 };

export function lookUpHits(
  store: IndexStore,
  range: PassageRange,
  terms: readonly Term[],
  isShown: IsPartInContext,
): LookupResult {
  const { hits, words, inContext } = search(store.driver, range, terms, isShown);
  const chosen: ShownHit[] = [];
  for (const { part, at } of limitPerPart(hits)) {
    if (chosen.length === MAX_HITS) break;
    const around = joinPassages(store.readPassages(part, Math.max(0, at - 1), 3));
    const budget = chosen.length === 0 ? SNIPPET_TOKENS.best : SNIPPET_TOKENS.other;
    const hit = { part, lines: cutSnippet(around, words, budget) };
    const former = chosen.filter((one) => one.part.id === part.id).flatMap(({ lines }) => lines);
    chosen.push(...(former.length === 0 ? [hit] : dropShownLines(hit, former, words)));
  }
  return { inContext, words, hits: chosen };
}

/**
 * Removes lines shown already: places of one record that lie near each other share lines. Returns nothing if no
 * remaining line holds a word of the query.
 */
function dropShownLines(
  { part, lines }: ShownHit,
  former: readonly RecordLine[],
  words: readonly WeighedWord[],
): readonly ShownHit[] {
  const shown = new Set(former.map(({ number }) => number));
  const others = lines.filter(({ number }) => !shown.has(number));
  const tells = others.some(({ text }) => computeWordCoverage(foldCase(text), words) > 0);
  return tells ? [{ part, lines: others }] : [];
}

function limitPerPart(hits: readonly Hit[]): readonly Hit[] {
  const counts = new Map<number, number>();
  return hits.filter(({ part }) => {
    const count = (counts.get(part.id) ?? 0) + 1;
    counts.set(part.id, count);
    return count <= MAX_HITS_PER_PART;
  });
}

interface SearchFacts {
  /** The number of parts that were searched. */
  readonly parts: number;
  readonly within: "session" | "project";
  /** The number of passages that match and are in the context already. */
  readonly inContext: number;
  /** `whole` means that everything that should be indexed has been indexed. */
  readonly index: "whole" | "in progress";
  readonly nowMs: number;
}

/** The most tokens that one answer may take, its frame included. */
const MAX_ANSWER_TOKENS = 1_500;

const SCOPE_NAMES = { session: "this session", project: "this project's sessions" };

/** Holds the results of a search, each list best first. */
interface SearchResults {
  readonly hits: readonly ShownHit[];
  readonly findings: readonly Finding[];
  /** Hits found by the meaning of the query. */
  readonly semantic: readonly Finding[];
}

type HitHeading = Pick<Finding, "ref" | "words" | "madeAtMs">;

interface Quote {
  readonly ref: string;
  readonly text: string;
}

/** @param sessionId the session that asks; hits of other sessions state which one they are from */
export function renderHits(
  { hits, findings, semantic }: SearchResults,
  sessionId: SessionId,
  facts: SearchFacts,
): string {
  const quoteHit = (head: HitHeading, lines: readonly RecordLine[], where = ""): Quote => {
    const age = formatAge(facts.nowMs - head.madeAtMs);
    const text = `[${head.ref}] ${toSingleLine(head.words)}, ${age}${where}\n${renderQuote(lines)}`;
    return { ref: head.ref, text };
  };
  const quoteFindings = (some: readonly Finding[]) =>
    some.map((one) => quoteHit(one, numberTexts(one.lines)));
  const ofHits = hits.map(({ part, lines }) =>
    quoteHit(part, lines, part.sessionId === sessionId ? "" : `, in session ${part.sessionId}`),
  );
  const lists = [ofHits, quoteFindings(findings), quoteFindings(semantic)].map(numberQuotes);
  const quotes = fuseByRank(lists, ({ name }) => name).map(({ text }) => text);
  const rest = [describeInContext(facts), describeIndexing(facts)].filter((line) => line !== null);
  const renderAnswer = (count: number) =>
    [frameRecalledQuotes(quotes.slice(0, count)), ...rest].join("\n");
  let count = quotes.length;
  while (count > 1 && estimateTokens(renderAnswer(count)) > MAX_ANSWER_TOKENS) count -= 1;
  return renderAnswer(count);
}

/** Identifies a hit: a record has the same ref in every list, and another place in it counts as another hit. */
function numberQuotes(
  quotes: readonly Quote[],
): readonly { readonly name: string; readonly text: string }[] {
  const counts = new Map<string, number>();
  return quotes.map(({ ref, text }) => {
    const place = (counts.get(ref) ?? 0) + 1;
    counts.set(ref, place);
    return { name: `${ref} ${place}`, text };
  });
}

export function renderNoHits(facts: SearchFacts): string {
  const searched = `Nothing found in ${SCOPE_NAMES[facts.within]} (${facts.parts} texts, calls and results searched, by words and by pieces of them).`;
  const advice =
    facts.within === "session"
      ? 'Try other words, or in: "project".'
      : "Try other words: names, paths, numbers, error texts.";
  return [searched, describeInContext(facts), describeIndexing(facts), advice]
    .filter((line) => line !== null)
    .join(" ");
}

export function renderNoWords(): string {
  return "The query has no letter or digit to look for. Give words, names, paths, numbers or an error's text.";
}

function describeInContext({ inContext }: SearchFacts): string | null {
  if (inContext === 0) return null;
  return `${inContext} more already in your context.`;
}

function describeIndexing({ index }: SearchFacts): string | null {
  return index === "whole" ? null : "Older parts are still being indexed: try again in a moment.";
}

const AGE_UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

function formatAge(ms: number): string {
  const unit = AGE_UNITS.find(([, length]) => ms >= length);
  return unit ? `${Math.floor(ms / unit[1])} ${unit[0]} ago` : "just now";
}
