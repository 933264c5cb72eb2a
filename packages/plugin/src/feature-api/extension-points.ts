// Declares the values that features give to each other and to the runtime. A feature may declare one of
// its own in its folder.
import type { ReadWrittenSegments } from "../history/written.ts";
import type { IndexFile } from "../search-index/file.ts";
import type { SessionId } from "../storage/records.ts";
import {
  createCollectionPoint,
  createExtensionPoint,
  type KeepRef,
  type LeaseForProject,
  type ListWithheldTools,
} from "./extension-point.ts";
import type { CompletedToolCall } from "./feature-hooks.ts";
import type { Finder, FindSegment, SemanticCorpus, SemanticSearch } from "./finders.ts";
import type { InboxService } from "./prompt.ts";
import type { ShownQueue } from "./screen.ts";

/** The search index over histories, which is available even while sessions are being written into it. */
export interface SearchIndex {
  readonly file: IndexFile;
  /** Waits until everything that was sent is indexed, at most `patienceMs` milliseconds. */
  readonly idle: (patienceMs: number) => Promise<"whole" | "in progress">;
}

/** The search index, needed by features that are useless without a search. */
export const SEARCH_INDEX = createExtensionPoint<SearchIndex>("the search index");

/** Searches by words in texts that are not part of histories. */
export const FINDERS = createCollectionPoint<Finder>("a finder");

/** Texts that may be found by their meaning. */
export const SEMANTIC_CORPORA = createCollectionPoint<SemanticCorpus>("a semantic corpus");

/** Asks an endpoint, but only if a tool call is waiting for the answer, never on the way to a send. */
export const SEMANTIC_SEARCH = createExtensionPoint<SemanticSearch>("semantic search");

/** Finds a segment of a history that a model has summarised. */
export const SEGMENT_SEARCH = createExtensionPoint<FindSegment>("the search for segments");

/** Segments that a model has written. They are read on the path of every call, so reading must be quick. */
export const WRITTEN_SEGMENTS = createExtensionPoint<ReadWrittenSegments>("written segments");

/** Keeps what a ref names for the rest of a session, and confirms this to the model. */
export const KEEP_REF = createExtensionPoint<KeepRef>("keeping a ref");

/** The lease under which one machine at a time works on a project that several share. */
export const PROJECT_LEASE = createExtensionPoint<LeaseForProject>("the lease of a project");

/** The durable inbox, as other plugins use it. */
export const INBOX = createExtensionPoint<InboxService>("the inbox");

/** The prompts that wait in a session's queue, for the queue's dialog. */
export const PROMPT_QUEUE =
  createExtensionPoint<(sessionId: SessionId) => Promise<ShownQueue>>("the queue");

/** Returns a sentence that anyone who opens the session must read first; null if there is none. */
export const SESSION_NOTICES =
  createCollectionPoint<(sessionId: SessionId) => string | null>("a session's notice");

/** Resolves to true while another process works on the session, whose turn a message of ours would join. */
export const SESSION_ELSEWHERE_CHECKS = createCollectionPoint<
  (sessionId: SessionId) => Promise<boolean>
>("the check for other processes");

/** Returns a number of tokens; null if it is unknown. */
export type FindStatedTokens = (providerId: string, modelId: string) => number | null;

/** Looks up the maximum size of a call that the provider itself has stated for a model. */
export const STATED_LIMITS = createCollectionPoint<FindStatedTokens>("a stated limit");

/** Lists our own tools that a call has to go without because it would offer more than its provider takes. */
export const WITHHELD_TOOLS = createExtensionPoint<ListWithheldTools>("tools to leave out");

/** Returns a shorter text for a failed call; null if the call's own text is within the limit. */
export type BoundFailure = (call: CompletedToolCall, text: string) => Promise<string> | null;

/** Bounds the texts of failed calls; the first feature that bounds a text decides. */
export const FAILURE_BOUNDS = createCollectionPoint<BoundFailure>("a bound for failures");
