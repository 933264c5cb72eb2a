// Passes histories to the search index while sessions work.
import type { SemanticCorpus } from "../../feature-api/finders.ts";
import type { SentHistories } from "../../feature-api/sent-histories.ts";
import type { HostMessage } from "../../ledger/message.ts";
import type { KnownProject } from "../../project/known-project.ts";
import type { IndexFile } from "../../search-index/file.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import type { Indexer } from "./indexer.ts";
import { inContextTest } from "./search.ts";
import { saidTexts } from "./semantic-corpus.ts";

interface HistoryIndexDeps {
  readonly file: IndexFile;
  readonly indexer: Indexer;
  readonly project: Pick<KnownProject, "known" | "id">;
  readonly failed: (error: unknown) => void;
  /** Parts that these show are not found again. */
  readonly sent: SentHistories;
}

export class HistoryIndex {
  /**
   * Answers that the host gives after a session's deletion may stem from before it, and must not be indexed any more.
   */
  readonly #deleted = new Set<SessionId>();

  /** Offers the session's texts to the search by meaning. */
  readonly corpus: SemanticCorpus;

  constructor(private readonly deps: HistoryIndexDeps) {
    const { file, indexer, project, sent } = deps;
    this.corpus = saidTexts({
      file,
      indexer,
      scope: async (sessionId) => ({ sessionId, project: await project.id() }),
      isShown: (sessionId) => inContextTest(sent.get(sessionId)),
    });
  }

  /** Indexes the history of a call that was sent, as the host has it. */
  sent(sessionId: SessionId, messages: readonly HostMessage[]): void {
    this.#take(sessionId, messages, "all");
  }

  /** Indexes the newest messages of a session that has come to rest. */
  settled(sessionId: SessionId, messages: readonly HostMessage[]): void {
    this.#take(sessionId, messages, "some");
  }

  forget(sessionId: SessionId): void {
    this.#deleted.add(sessionId);
    this.deps.indexer.forget(sessionId);
    this.deps.file.use((store) => store.removeSession(sessionId));
  }

  /** Takes the messages at once if the project is known, so that a search can wait for them. */
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
