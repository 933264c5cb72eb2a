// Searches and shows earlier work for the tools of recall.
// Folder: Finding earlier work: the search index over histories, commits, key files and vectors, the tools that read
// it, search hints, and `/ctx-augment`.
import { numberTexts, toSingleLine } from "../../context/frames.ts";
import type { SearchIndex } from "../../feature-api/extension-points.ts";
import type { SentHistories } from "../../feature-api/feature-context.ts";
import type { Finders, FindSegment, SemanticSearch } from "../../feature-api/finders.ts";
import { type Ref, readRef } from "../../ledger/ref.ts";
import type { KnownProject } from "../../project/known-project.ts";
import type { CollectionScope } from "../../search-index/collection.ts";
import type { IndexedDocument } from "../../search-index/document.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { SessionId } from "../../storage/records.ts";
import { lookUpHits, renderHits, renderNoHits, renderNoWords } from "./answer.ts";
import {
  buildSegmentRecord,
  type ExpandedRecord,
  findCoveredRange,
  NO_HEADS,
  type Page,
  renderRecord,
} from "./expand.ts";
import { parseTerms } from "./query-words.ts";
import { createInContextTest } from "./search.ts";
import { joinPassages } from "./snippet.ts";

interface RecallDeps {
  readonly index: SearchIndex;
  readonly project: Pick<KnownProject, "id">;
  /** Finders of other features; their results are ranked beside hits in histories. */
  readonly finders: Finders;
  readonly findMeant: SemanticSearch;
  readonly findSegment: FindSegment;
  readonly nowMs: () => number;
  /** Histories as they were sent; parts in them are not found again. */
  readonly sent: SentHistories;
}

/** The longest time that a search waits for what is being indexed. */
const INDEX_TIMEOUT_MS = 1_500;

export class Recall {
  constructor(private readonly deps: RecallDeps) {}

  /** @throws StorageError if the index can't be read */
  async search(
    sessionId: SessionId,
    query: string,
    within: "session" | "project",
  ): Promise<string> {
    const terms = parseTerms(query);
    if (terms.length === 0) return renderNoWords();
    const scope = await this.#findScope(sessionId);
    const index = await this.deps.index.idle(INDEX_TIMEOUT_MS);
    const isShown = createInContextTest(this.deps.sent.get(sessionId));
    const { finders, findMeant } = this.deps;
    const [found, semantic] = await Promise.all([
      finders.search(sessionId, terms, within),
      findMeant({ sessionId, within, terms }, query),
    ]);
    const known = found.inContext + semantic.inContext;
    return this.deps.index.file.use((store) => {
      const range = store.findRange(scope, within);
      const { hits, inContext } = lookUpHits(store, range, terms, isShown);
      const { parts } = store.count(range);
      const nowMs = this.deps.nowMs();
      const facts = { within, index, nowMs, parts, inContext: inContext + known };
      const answers = { hits, findings: found.findings, semantic: semantic.findings };
      const isNothing = Object.values(answers).every(({ length }) => length === 0);
      return isNothing ? renderNoHits(facts) : renderHits(answers, sessionId, facts);
    });
  }

  /** @throws StorageError if the index can't be read */
  async expand(sessionId: SessionId, written: string, page: Page): Promise<string> {
    const ref = readRef(written);
    if (ref === null) return renderInvalidRef(written);
    const found = await this.deps.finders.show(ref);
    if (found) {
      return renderRecord({ ...found, lines: numberTexts(found.lines), heads: NO_HEADS }, page);
    }
    const scope = await this.#findScope(sessionId);
    await this.deps.index.idle(INDEX_TIMEOUT_MS);
    const summary = ref.startsWith("h:") ? await this.deps.findSegment(sessionId, ref) : null;
    return this.deps.index.file.use((store) => {
      if (ref.startsWith("h:")) {
        const history = this.deps.sent.get(sessionId);
        const extracted = summary ? null : findCoveredRange(store, sessionId, ref, history);
        const record = buildSegmentRecord(store, ref, { written: summary, extracted });
        return record ? renderRecord(record, page) : renderUnknownRef(ref, "session");
      }
      const part = findPart(store, scope, ref);
      return part ? renderRecord(expandPart(store, part), page) : renderUnknownRef(ref, "project");
    });
  }

  async #findScope(sessionId: SessionId): Promise<CollectionScope> {
    return { sessionId, project: await this.deps.project.id() };
  }
}

/** Tries this session first, then the project, because a project search shows refs of other sessions. */
function findPart(store: IndexStore, scope: CollectionScope, ref: Ref): IndexedDocument | null {
  for (const within of ["session", "project"] as const) {
    const [part] = store.findByRef(ref, store.findRange(scope, within));
    if (part) return part;
  }
  return null;
}

function expandPart(store: IndexStore, part: IndexedDocument): ExpandedRecord {
  const { ref, words } = part;
  const lines = joinPassages(store.readPassages(part, 0, part.passages));
  return { ref, words, lines, heads: NO_HEADS };
}

function renderInvalidRef(written: string): string {
  return `"${toSingleLine(written).slice(0, 60)}" is not a ref. A ref looks like r:k3f9ab; ctx_search gives them.`;
}

/** @param within where the ref was searched for; segments are known only within their own session */
function renderUnknownRef(ref: Ref, within: "session" | "project"): string {
  return `There is no ref ${ref} in this ${within}: it was undone, or never was. ctx_search finds what is there.`;
}
