// Searches: it collects candidates from the tables of words and of trigrams, then ranks them.
import type { Term } from "../../feature-api/finders.ts";
import { collectShownPartIds, type SentHistory } from "../../ledger/revise.ts";
import type { PassageRange } from "../../search-index/collection.ts";
import {
  DOCUMENT_COLUMNS,
  type IndexedDocument,
  inflateBody,
  JOIN_COLLECTION,
  ROW_RANGE_CONDITION,
  toDocument,
} from "../../search-index/document.ts";
import type { Driver, SqlRow } from "../../storage/driver.ts";
import { foldCase } from "./fold-text.ts";
import { joinTerms } from "./query-words.ts";
import {
  type Candidate,
  type Hit,
  renderHitText,
  sortHits,
  toPassageId,
  type WeighedWord,
} from "./ranking.ts";

interface SearchResult {
  /** Hits, best first. */
  readonly hits: readonly Hit[];
  /** The words of the query, in the form that snippets need. */
  readonly words: readonly WeighedWord[];
  /** The number of other passages found, in parts that the model sees already. */
  readonly inContext: number;
}

/** A word in more passages than this is common: it only orders what rarer words find. */
const MAX_RARE_WORD_PASSAGES = 1_000;
/** At most this many passages are ranked by bm25, since further words would only find worse ones. */
const MAX_RANKED_PASSAGES = 2_000;
/** A word found in this many passages isn't also searched as a piece of other words. */
const SUFFICIENT_HITS = 20;
const MAX_CANDIDATES = 100;
const MAX_CANDIDATES_PER_PIECE = 30;
const MAX_PIECES = 6;
/** Two words of the query at most this far apart count as one place; only the rarest words are searched this way. */
const MAX_WORD_DISTANCE = 6;
const MAX_NEAR_PHRASES = 5;
const MAX_NEAR_CANDIDATES = 40;

/** Tests whether the model sees a part already. */
export type IsPartInContext = (part: IndexedDocument) => boolean;

/** Tests whether a part is in what was sent, as the host has it. */
export function createInContextTest(history: SentHistory | undefined): IsPartInContext {
  const ids = collectShownPartIds(history);
  return ({ key }) => ids.has(key);
}

export function search(
  driver: Driver,
  range: PassageRange,
  terms: readonly Term[],
  isShown: IsPartInContext,
): SearchResult {
  const counted = terms.map((term) => ({ term, passages: countMatches(driver, range, term) }));
  const names = joinTerms(terms)
    .map((term) => ({ term, found: searchByPiece(driver, range, term) }))
    .filter(({ found }) => found.length > 0);
  const words = [
    ...counted.map(({ term, passages }) => weighTerm(term, passages)),
    ...names.map(({ term, found }) => weighTerm(term, found.length)),
  ];
  const candidates = [
    ...[searchByWords, searchByProximity, searchByPieces].flatMap((by) =>
      by(driver, range, counted),
    ),
    ...names.flatMap(({ found }) => found),
  ];
  const isSeen = ({ hit }: Candidate) => isShown(hit.part);
  return {
    hits: sortHits(
      candidates.filter((candidate) => !isSeen(candidate)),
      words,
    ),
    words,
    inContext: new Set(candidates.filter(isSeen).map(({ hit }) => toPassageId(hit))).size,
  };
}

function weighTerm({ text }: Term, passages: number): WeighedWord {
  return { text: foldCase(text), weight: Math.log(1 + MAX_RARE_WORD_PASSAGES / (passages + 1)) };
}

interface TermCount {
  readonly term: Term;
  /** The number of passages of the range with this word, counted up to `MAX_RARE_WORD_PASSAGES + 1`. */
  readonly passages: number;
}

function countMatches(driver: Driver, { first, last }: PassageRange, { phrase }: Term): number {
  return Number(driver.get(COUNT_WORDS, phrase, first, last, MAX_RARE_WORD_PASSAGES + 1)?.passages);
}

function searchByWords(
  driver: Driver,
  range: PassageRange,
  counted: readonly TermCount[],
): readonly Candidate[] {
  const found = counted.filter(({ passages }) => passages > 0);
  const rare = found.filter(({ passages }) => passages <= MAX_RARE_WORD_PASSAGES);
  if (rare.length === 0) return searchByCommonWords(driver, range, found);
  const any = pickRarestTerms(rare).map(({ term }) => term.phrase);
  const { first, last } = range;
  return rankRows(driver.all(SELECT_RANKED, any.join(" OR "), first, last, MAX_CANDIDATES));
}

function rankRows(rows: readonly SqlRow[]): readonly Candidate[] {
  const best = Number(rows[0]?.rank);
  return rows.map((row) => ({ hit: toHit(row), rank: Number(row.rank) / best }));
}

function pickRarestTerms(rare: readonly TermCount[]): readonly TermCount[] {
  let passagesRanked = 0;
  return sortByRarity(rare).filter(({ passages }, at) => {
    passagesRanked += passages;
    return at === 0 || passagesRanked <= MAX_RANKED_PASSAGES;
  });
}

function sortByRarity(counted: readonly TermCount[]): readonly TermCount[] {
  return counted.toSorted((left, right) => left.passages - right.passages);
}

/** If all words are common, it returns the newest passages that hold all of them. */
function searchByCommonWords(
  driver: Driver,
  { first, last }: PassageRange,
  common: readonly TermCount[],
): readonly Candidate[] {
  if (common.length === 0) return [];
  const all = common.map(({ term }) => term.phrase).join(" AND ");
  const rows = driver.all(SELECT_NEWEST_WORDS, all, first, last, MAX_CANDIDATES);
  return rows.map((row) => ({ hit: toHit(row), rank: 0 }));
}

/**
 * Finds passages that hold two of the words close together: bm25 ranks these below passages that repeat
 * common words.
 */
function searchByProximity(
  driver: Driver,
  { first, last }: PassageRange,
  counted: readonly TermCount[],
): readonly Candidate[] {
  const rare = counted.filter(({ passages }) => passages > 0 && passages <= MAX_RARE_WORD_PASSAGES);
  const phrases = sortByRarity(rare).map(({ term }) => term.phrase);
  const pairs = phrases
    .slice(0, MAX_NEAR_PHRASES)
    .flatMap((one, at, all) =>
      all.slice(at + 1).map((other) => `NEAR(${one} ${other}, ${MAX_WORD_DISTANCE})`),
    );
  if (pairs.length === 0) return [];
  return rankRows(driver.all(SELECT_RANKED, pairs.join(" OR "), first, last, MAX_NEAR_CANDIDATES));
}

function searchByPieces(
  driver: Driver,
  range: PassageRange,
  counted: readonly TermCount[],
): readonly Candidate[] {
  return counted
    .filter(({ term, passages }) => term.pieces !== null && passages < SUFFICIENT_HITS)
    .slice(0, MAX_PIECES)
    .flatMap(({ term }) => searchByPiece(driver, range, term));
}

/**
 * Finds passages that contain the term anywhere, even inside a word. A match of trigrams does not prove that they
 * are adjacent, so each passage is checked for the whole term.
 */
function searchByPiece(
  driver: Driver,
  { first, last }: PassageRange,
  { pieces, text }: Term,
): readonly Candidate[] {
  if (pieces === null) return [];
  return driver
    .all(SELECT_NEWEST_PIECES, pieces, first, last, MAX_CANDIDATES_PER_PIECE)
    .map((row) => ({ hit: toHit(row), rank: 0 }))
    .filter(({ hit }) => renderHitText(hit).includes(foldCase(text)));
}

function toHit(row: SqlRow): Hit {
  const part = toDocument(row);
  const passage = { line: Number(row.line), text: inflateBody(row.body) };
  return { part, at: Number(row.passage) - part.id, passage };
}

const COUNT_WORDS = `
  SELECT count(*) AS passages FROM (SELECT 1 FROM words WHERE words MATCH ? AND ${ROW_RANGE_CONDITION} LIMIT ?)`;

const SELECT_HITS = `
  SELECT ${DOCUMENT_COLUMNS}, passage.id AS passage, line, body, found.rank AS rank FROM found
  JOIN passage ON passage.id = found.id
  JOIN document ON document.id = (SELECT max(id) FROM document WHERE id <= found.id)
  ${JOIN_COLLECTION}`;

const SELECT_RANKED = `
  WITH found AS MATERIALIZED (
    SELECT rowid AS id, rank FROM words WHERE words MATCH ? AND ${ROW_RANGE_CONDITION} ORDER BY rank LIMIT ?)
  ${SELECT_HITS} ORDER BY found.rank`;

const buildNewestMatchesSql = (table: "words" | "pieces") => `
  WITH found AS MATERIALIZED (
    SELECT rowid AS id, 0 AS rank FROM ${table} WHERE ${table} MATCH ? AND ${ROW_RANGE_CONDITION}
    ORDER BY rowid DESC LIMIT ?)
  ${SELECT_HITS}`;

const SELECT_NEWEST_WORDS = buildNewestMatchesSql("words");
const SELECT_NEWEST_PIECES = buildNewestMatchesSql("pieces");
