// Declares how features search for texts beside histories.
import type { Ref } from "../ledger/ref.ts";
import type { ProjectDocumentKind } from "../search-index/collection.ts";
import type { SessionId } from "../storage/records.ts";

/** One term of a search. */
export interface Term {
  /** The term in lower case. */
  readonly text: string;
  /**
   * An expression for the table of words: always a single quoted phrase, so that it contains no query syntax.
   */
  readonly phrase: string;
  /** An expression for the table of trigrams; null if that table can't hold the term. */
  readonly pieces: string | null;
}

/** One text, found as a whole. */
export interface Finding {
  readonly ref: Ref;
  /** Describes the finding in a few words. */
  readonly words: string;
  /** The finding in whole lines. */
  readonly lines: readonly string[];
  readonly madeAtMs: number;
}

export interface FinderResult {
  /** The findings, best first. */
  readonly findings: readonly Finding[];
  /** The number of matches that are already in the session's context. */
  readonly inContext: number;
}

/** A segment of a history, with the messages that it covers, both included. */
export interface FoundSegment extends Finding {
  readonly sessionId: SessionId;
  readonly firstId: string;
  readonly lastId: string;
  /** The events of the segment, each preceded by its type. */
  readonly events: readonly string[];
}

/** Finds a segment; resolves to null if no segment with that ref has been written. Never rejects. */
export type FindSegment = (sessionId: SessionId, ref: Ref) => Promise<FoundSegment | null>;

/** Searches for texts. Never rejects: a text that can't be read now is treated as not found. */
export interface Finder {
  /**
   * Searches by terms.
   * @param within the histories to search; texts that belong to the project are found either way
   */
  readonly search: (
    sessionId: SessionId,
    terms: readonly Term[],
    within: SearchRange,
  ) => Promise<FinderResult>;
  /** Returns the text that a ref names; null if the ref names none of this finder's texts. */
  readonly show: (ref: Ref) => Promise<Finding | null>;
}

export type SearchRange = "session" | "project";

/** `said` stands for the words of people and the model; the other kinds are the project's own texts. */
export type SemanticKind = "said" | ProjectDocumentKind;

export interface CorpusEntry {
  readonly key: string;
  /** The digest of the entry's text. */
  readonly digest: string;
}

/**
 * Texts of the project that may be found by their meaning. Their keys are those of the index's documents or,
 * for what sessions said, of the index's passages. Each function may reject.
 */
export interface SemanticCorpus {
  readonly kind: SemanticKind;
  /** Lists all entries, newest first; null if the index itself holds their texts and is up to date. */
  readonly list: () => Promise<readonly CorpusEntry[] | null>;
  /** Reads texts in the order of the keys; null for a text that no longer exists. */
  readonly texts: (keys: readonly string[]) => Promise<readonly (string | null)[]>;
  /** Returns the hits as a search shows them, in the order of the keys. */
  readonly find: (asker: SearchRequest, keys: readonly string[]) => Promise<readonly SemanticHit[]>;
}

/** `gone`: the text no longer exists, or is out of the asker's reach. */
export type SemanticHit = Finding | "in context" | "gone";

/** The session, the range and the terms of a search. */
export interface SearchRequest {
  readonly sessionId: SessionId;
  readonly within: SearchRange;
  readonly terms: readonly Term[];
}

/** Searches by a question's meaning. Never rejects, and takes a few seconds at most. */
export type SemanticSearch = (asker: SearchRequest, query: string) => Promise<FinderResult>;

export const emptyResult: FinderResult = { findings: [], inContext: 0 };

/** Replaces the semantic search if no endpoint is configured. */
export const findNoSemanticMatch: SemanticSearch = async () => emptyResult;

/** Replaces the search for segments if no model summarises histories. */
export const findNoSegment: FindSegment = async () => null;

/** Runs the finders of features, in the order of the list. */
export class Finders {
  constructor(private readonly finders: readonly Finder[]) {}

  async search(
    sessionId: SessionId,
    terms: readonly Term[],
    within: SearchRange = "project",
  ): Promise<FinderResult> {
    const all = await Promise.all(this.finders.map((one) => one.search(sessionId, terms, within)));
    return {
      findings: fuseByRank(all.map(({ findings }) => findings)),
      inContext: all.reduce((sum, { inContext }) => sum + inContext, 0),
    };
  }

  async show(ref: Ref): Promise<Finding | null> {
    for (const finder of this.finders) {
      const found = await finder.show(ref);
      if (found) return found;
    }
    return null;
  }
}

/** With this offset, a top rank in one list counts for little more than a slightly lower one. */
const RANK_OFFSET = 60;

/**
 * Fuses lists by reciprocal ranks, because scores of different lists can't be compared and ranks can. Items
 * that several lists contain come first; lists that have nothing in common take turns.
 */
export function fuseByRank<One>(
  lists: readonly (readonly One[])[],
  toKey: (one: One) => unknown = (one) => one,
): readonly One[] {
  const scores = new Map<unknown, { readonly one: One; score: number }>();
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let rank = 0; rank < longest; rank++) {
    for (const one of lists.flatMap((list) => list.slice(rank, rank + 1))) {
      const key = toKey(one);
      const known = scores.get(key) ?? { one, score: 0 };
      known.score += 1 / (RANK_OFFSET + rank);
      scores.set(key, known);
    }
  }
  return [...scores.values()]
    .toSorted((left, right) => right.score - left.score)
    .map(({ one }) => one);
}
