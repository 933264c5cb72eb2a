// Recall: what was said and seen in a session, found again; the answers of its tools.
// Folder: Recall: the search index over histories, and the tools that read it.

import { inLine } from "../../context/inert.ts";
import { numbered } from "../../context/quote.ts";
import type { Finders, MeantTexts } from "../../features/finders.ts";
import type { SentHistories } from "../../features/sent-histories.ts";
import type { IndexedDocument } from "../../index/document.ts";
import type { IndexFile } from "../../index/file.ts";
import type { Scope } from "../../index/shelf.ts";
import type { IndexStore } from "../../index/store.ts";
import type { KnownProject } from "../../project/known-project.ts";
import type { HostMessage } from "../../projection/message.ts";
import { type Ref, readRef } from "../../projection/ref.ts";
import { type SentHistory, shownPartIds } from "../../projection/shown-parts.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import { renderFound, renderNothing, renderNoWords } from "./answer.ts";
import { type ExpandedRecord, NO_HEADS, type Page, renderRecord } from "./expand.ts";
import type { Indexer } from "./indexer.ts";
import { lookUp } from "./look-up.ts";
import { saidTexts } from "./meant-texts.ts";
import type { IsShown } from "./search.ts";
import { coveredBy, segmentRecord } from "./segment-record.ts";
import { linesOf } from "./snippet.ts";
import { termsOf } from "./words.ts";

interface RecallDeps {
  readonly file: IndexFile;
  readonly indexer: Indexer;
  readonly directory: string;
  readonly project: Pick<KnownProject, "known" | "id">;
  readonly failed: (error: unknown) => void;
  /** Of other features; theirs are ranked beside hits in histories. */
  readonly finders: Finders;
  readonly nowMs: () => number;
  /** What they show is not found again. */
  readonly sent: SentHistories;
}

/** How long a look-up waits for what is being indexed. */
const PATIENCE_MS = 1_500;

export class Recall {
  /** What was asked of the host before a deletion can come after it, and must not be indexed any more. */
  readonly #deleted = new Set<SessionId>();

  /** What was said, for whoever finds it by what it means. */
  readonly meant: MeantTexts;

  constructor(private readonly deps: RecallDeps) {
    this.meant = saidTexts({
      file: deps.file,
      indexer: deps.indexer,
      scope: (sessionId) => this.#scope(sessionId),
      isShown: (sessionId) => shownIn(this.deps.sent.get(sessionId)),
    });
  }

  /** Ids of messages; null: nothing of the session is indexed. @throws StorageError */
  indexed(sessionId: SessionId): ReadonlySet<string> | null {
    return this.deps.file.use((store) => store.messageIds(sessionId));
  }

  /** A call was sent: its history, as the host has it, is indexed. */
  sent(sessionId: SessionId, messages: readonly HostMessage[]): void {
    this.#take(sessionId, messages, "all");
  }

  /** The newest messages of a session that has come to rest. */
  settled(sessionId: SessionId, messages: readonly HostMessage[]): void {
    this.#take(sessionId, messages, "some");
  }

  forget(sessionId: SessionId): void {
    this.#deleted.add(sessionId);
    this.deps.indexer.forget(sessionId);
    this.deps.file.use((store) => store.removeSession(sessionId));
  }

  /** @throws StorageError where the index can't be read */
  async search(
    sessionId: SessionId,
    query: string,
    within: "session" | "project",
  ): Promise<string> {
    const terms = termsOf(query);
    if (terms.length === 0) return renderNoWords();
    const scope = await this.#scope(sessionId);
    const index = await this.deps.indexer.idle(PATIENCE_MS);
    const isShown = shownIn(this.deps.sent.get(sessionId));
    const { finders } = this.deps;
    const [found, meant] = await Promise.all([
      finders.search(sessionId, terms, within),
      finders.findMeant({ sessionId, within, terms }, query),
    ]);
    const known = found.inContext + meant.inContext;
    return this.deps.file.use((store) => {
      const range = store.range(scope, within);
      const { hits, inContext } = lookUp(store, range, terms, isShown);
      const { parts } = store.extent(range);
      const nowMs = this.deps.nowMs();
      const facts = { within, index, nowMs, parts, inContext: inContext + known };
      const answers = { hits, findings: found.findings, meant: meant.findings };
      const isNothing = Object.values(answers).every(({ length }) => length === 0);
      return isNothing ? renderNothing(facts) : renderFound(answers, sessionId, facts);
    });
  }

  /** @throws StorageError where the index can't be read */
  async expand(sessionId: SessionId, written: string, page: Page): Promise<string> {
    const ref = readRef(written);
    if (ref === null) return noRef(written);
    const found = await this.deps.finders.show(ref);
    if (found) {
      return renderRecord({ ...found, lines: numbered(found.lines), heads: NO_HEADS }, page);
    }
    const scope = await this.#scope(sessionId);
    await this.deps.indexer.idle(PATIENCE_MS);
    const summary = ref.startsWith("h:")
      ? await this.deps.finders.findSegment(sessionId, ref)
      : null;
    return this.deps.file.use((store) => {
      if (ref.startsWith("h:")) {
        const history = this.deps.sent.get(sessionId);
        const extracted = summary ? null : coveredBy(store, sessionId, ref, history);
        const record = segmentRecord(store, ref, { written: summary, extracted });
        return record ? renderRecord(record, page) : unknownRef(ref, "session");
      }
      const part = partOf(store, scope, ref);
      return part ? renderRecord(recordOf(store, part), page) : unknownRef(ref, "project");
    });
  }

  /** At once where the project is known, so that a look-up waits for it. */
  #take(sessionId: SessionId, messages: readonly HostMessage[], extent: "all" | "some"): void {
    const { project, indexer, failed } = this.deps;
    const take = (id: ProjectId) => {
      if (this.#deleted.has(sessionId)) return;
      indexer.take({ scope: { sessionId, project: id }, messages, extent });
    };
    if (project.known === null) project.id().then(take, failed);
    else take(project.known);
  }

  async #scope(sessionId: SessionId): Promise<Scope> {
    return { sessionId, project: await this.deps.project.id() };
  }
}

/** Of this session first; a search of the project shows refs of others, too. */
function partOf(store: IndexStore, scope: Scope, ref: Ref): IndexedDocument | null {
  for (const within of ["session", "project"] as const) {
    const [part] = store.withRef(ref, store.range(scope, within));
    if (part) return part;
  }
  return null;
}

/** Whether a part stands in what was sent as the host has it. */
export function shownIn(history: SentHistory | undefined): IsShown {
  const ids = shownPartIds(history);
  return ({ key }) => ids.has(key);
}

function recordOf(store: IndexStore, part: IndexedDocument): ExpandedRecord {
  const { ref, words } = part;
  const lines = linesOf(store.passages(part, 0, part.passages));
  return { ref, words, lines, heads: NO_HEADS };
}

function noRef(written: string): string {
  return `"${inLine(written).slice(0, 60)}" is not a ref. A ref looks like r:k3f9ab; ctx_search gives them.`;
}

/** @param within where it was looked for: segments of other sessions are theirs alone */
function unknownRef(ref: Ref, within: "session" | "project"): string {
  return `Nothing has the ref ${ref} in this ${within}: it was undone, or never was. ctx_search finds what is there.`;
}
