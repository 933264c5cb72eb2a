// Declares the values that features give to each other and to the runtime. A feature may declare one of
// its own in its folder.
import type { ReadWrittenSegments } from "../history/written.ts";
import type { IndexFile } from "../search-index/file.ts";
import type { SessionId } from "../storage/records.ts";
import {
  collectionPoint,
  extensionPoint,
  type KeepRef,
  type LeaseForProject,
  type ListWithheldTools,
} from "./extension-point.ts";
import type { CompletedToolCall } from "./feature-hooks.ts";
import type { Finder, FindSegment, SearchSemantic, SemanticCorpus } from "./finders.ts";
import type { InboxService } from "./prompt.ts";
import type { ShownQueue } from "./screen.ts";

/** The search index over histories, while sessions are written into it. */
export interface SearchIndex {
  readonly file: IndexFile;
  /** Waits until what was sent is indexed, as long as that. */
  readonly idle: (patienceMs: number) => Promise<"whole" | "in progress">;
}

/** Features that are useless without a search need this. */
export const SEARCH_INDEX = extensionPoint<SearchIndex>("the search index");

/** Finders search by words, beside histories. */
export const FINDERS = collectionPoint<Finder>("a finder");

/** Texts that may be found by what they mean. */
export const SEMANTIC_CORPORA = collectionPoint<SemanticCorpus>("a semantic corpus");

/** An endpoint is asked: only where a tool call waits for it, never on the way to a send. */
export const SEMANTIC_SEARCH = extensionPoint<SearchSemantic>("semantic search");

/** Finds a segment of a history that a model has summarised. */
export const SEGMENT_SEARCH = extensionPoint<FindSegment>("the search for segments");

/** Segments that a model has written: read in the path of calls, so that it has to be quick. */
export const WRITTEN_SEGMENTS = extensionPoint<ReadWrittenSegments>("written segments");

/** Keeps what a ref names for the rest of a session, and says so to the model. */
export const KEEP_REF = extensionPoint<KeepRef>("keeping a ref");

/** The lease under which one machine at a time works on a project that several share. */
export const PROJECT_LEASE = extensionPoint<LeaseForProject>("the lease of a project");

/** The durable inbox, as other plugins reach it. */
export const INBOX = extensionPoint<InboxService>("the inbox");

/** The prompts that wait in a session's queue, for its dialog. */
export const PROMPT_QUEUE =
  extensionPoint<(sessionId: SessionId) => Promise<ShownQueue>>("the queue");

/** A sentence that whoever opens the session must read first; null: nothing. */
export const SESSION_NOTICES =
  collectionPoint<(sessionId: SessionId) => string | null>("a session's notice");

/** Resolves to true while another process works on the session: a message of ours would join its turn. */
export const SESSION_ELSEWHERE_CHECKS = collectionPoint<(sessionId: SessionId) => Promise<boolean>>(
  "the check for other processes",
);

/** Returns a number of tokens; null where nobody knows. */
export type FindStatedTokens = (providerId: string, modelId: string) => number | null;

/** Looks up the size that the provider itself has stated for one call of a model. */
export const STATED_LIMITS = collectionPoint<FindStatedTokens>("a stated limit");

/** Our own tools that a call is left without, as it would offer more than its provider takes. */
export const WITHHELD_TOOLS = extensionPoint<ListWithheldTools>("tools to leave out");

/** The text of a failed call in place of one that is over the limit; null where it is not. */
export type BoundFailure = (call: CompletedToolCall, text: string) => Promise<string> | null;

/** The first one that bounds the text counts. */
export const FAILURE_BOUNDS = collectionPoint<BoundFailure>("a bound for failures");
