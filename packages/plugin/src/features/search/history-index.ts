// Histories on their way into the search index, while sessions are at work.
import type { SemanticCorpus } from "../../feature-api/finders.ts";
import type { SentHistories } from "../../feature-api/sent-histories.ts";
import type { HostMessage } from "../../ledger/message.ts";
import type { KnownProject } from "../../project/known-project.ts";
import type { IndexFile } from "../../search-index/file.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import type { Indexer } from "./indexer.ts";
import { shownIn } from "./search.ts";
import { saidTexts } from "./semantic-corpus.ts";

interface HistoryIndexDeps {
  readonly file: IndexFile;
  readonly indexer: Indexer;
  readonly project: Pick<KnownProject, "known" | "id">;
  readonly failed: (error: unknown) => void;
  /** What they show is not found again. */
  readonly sent: SentHistories;
}

export class HistoryIndex {
  /** What was asked of the host before a deletion can come after it, and must not be indexed any more. */
  readonly #deleted = new Set<SessionId>();

  /** What was said, for whoever finds it by what it means. */
  readonly corpus: SemanticCorpus;

  constructor(private readonly deps: HistoryIndexDeps) {
    const { file, indexer, project, sent } = deps;
    this.corpus = saidTexts({
      file,
      indexer,
      scope: async (sessionId) => ({ sessionId, project: await project.id() }),
      isShown: (sessionId) => shownIn(sent.get(sessionId)),
    });
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
}
