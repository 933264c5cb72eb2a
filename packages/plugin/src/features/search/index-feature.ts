// Creates the search index: what is sent goes into it, as long as any feature searches it.
import type { SearchIndex } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext, SentHistories } from "../../feature-api/feature-context.ts";
import type { SemanticCorpus } from "../../feature-api/finders.ts";
import type { HostMessage } from "../../ledger/message.ts";
import { toFaultFields } from "../../log/fault.ts";
import type { KnownProject } from "../../project/known-project.ts";
import { isOwnHostName, type Project, toFolderId } from "../../project/project.ts";
import { type IndexFile, openIndex } from "../../search-index/file.ts";
import type { ProjectId, SessionId } from "../../storage/records.ts";
import { Indexer } from "./indexer.ts";
import { createInContextTest } from "./search.ts";
import { createTextCorpus } from "./semantic-corpus.ts";

// Passes histories to the search index while sessions work.

interface HistoryIndexDeps {
  readonly file: IndexFile;
  readonly indexer: Indexer;
  readonly project: Pick<KnownProject, "known" | "id">;
  readonly failed: (error: unknown) => void;
  /** Histories as they were sent; parts in them are not found again. */
  readonly sent: SentHistories;
}

export class HistoryIndex {
  /**
   * Deleted sessions. The host may still deliver messages from before the deletion, which must not be
   * indexed.
   */
  readonly #deleted = new Set<SessionId>();

  /** Offers the session's texts to the search by meaning. */
  readonly corpus: SemanticCorpus;

  constructor(private readonly deps: HistoryIndexDeps) {
    const { file, indexer, project, sent } = deps;
    this.corpus = createTextCorpus({
      file,
      indexer,
      scope: async (sessionId) => ({ sessionId, project: await project.id() }),
      isShown: (sessionId) => createInContextTest(sent.get(sessionId)),
    });
  }

  /** Indexes the history of a call that was sent, as the host has it. */
  indexSent(sessionId: SessionId, messages: readonly HostMessage[]): void {
    this.#enqueue(sessionId, messages, "all");
  }

  /** Indexes the newest messages of a session that has come to rest. */
  indexSettled(sessionId: SessionId, messages: readonly HostMessage[]): void {
    this.#enqueue(sessionId, messages, "some");
  }

  forget(sessionId: SessionId): void {
    this.#deleted.add(sessionId);
    this.deps.indexer.forget(sessionId);
    this.deps.file.use((store) => store.removeSession(sessionId));
  }

  /** Queues the messages at once if the project is known, so that a search can wait for them. */
  #enqueue(sessionId: SessionId, messages: readonly HostMessage[], extent: "all" | "some"): void {
    const { project, indexer, failed } = this.deps;
    const enqueueForProject = (id: ProjectId) => {
      if (this.#deleted.has(sessionId)) return;
      indexer.enqueue({ scope: { sessionId, project: id }, messages, extent });
    };
    if (project.known === null) project.id().then(enqueueForProject, failed);
    else enqueueForProject(project.known);
  }
}

/** The pause between two slices, in which the host runs. */
const SLICE_PAUSE_MS = 5;

/**
 * When a session comes to rest, this many messages are read: its last answer has not been sent by a later call yet.
 */
const NEWEST_MESSAGES_OPTIONS = { count: 4, timeoutMs: 5_000 };

/** Closing waits at most this long for what is not indexed yet. */
const CLOSE_TIMEOUT_MS = 1_000;

interface IndexInstance extends FeatureInstance {
  readonly provides: { readonly index: SearchIndex; readonly corpus: SemanticCorpus };
}

export async function createIndexFeature(context: FeatureContext): Promise<IndexInstance> {
  const { database, location, log, notices, project, sent: histories } = context;
  const file = await openIndex(database.path, notices);
  const logFailure = (error: unknown) => log.warn("recall.index_failed", toFaultFields(error));
  const indexer = new Indexer({
    file,
    directory: location.directory,
    failed: logFailure,
    later: (work) => setTimeout(work, SLICE_PAUSE_MS).unref(),
    nowMs: () => performance.now(),
  });
  const index = new HistoryIndex({ file, indexer, project, failed: logFailure, sent: histories });
  project.whenFound((found) => file.adopt(found.id, listFormerNames(context, found)));
  return {
    provides: {
      index: { file, idle: (patienceMs) => indexer.awaitIdle(patienceMs) },
      corpus: index.corpus,
    },
    hooks: {
      sent: ({ sessionId, host }) => index.indexSent(sessionId, host),
      async settled(sessionId) {
        const newest = await readNewestMessages(context, sessionId);
        if (newest) index.indexSettled(sessionId, newest);
      },
      onEvent({ kind, sessionId }) {
        if (kind !== "deleted") return;
        try {
          index.forget(sessionId);
        } catch (error) {
          logFailure(error);
        }
      },
      async closed() {
        // A process that ends after one answer still indexes that answer.
        await indexer.awaitIdle(CLOSE_TIMEOUT_MS);
        file.close();
      },
    },
  };
}

function listFormerNames(
  { hostProject, location: { directory } }: FeatureContext,
  { id, worktree }: Project,
): readonly string[] {
  const names = [toFolderId(worktree), hostProject];
  return isOwnHostName(hostProject, id, directory) ? names : names.slice(0, 1);
}

/** Returns null if the host doesn't answer: what is missing is indexed with the next history. */
async function readNewestMessages({ host, log }: FeatureContext, sessionId: SessionId) {
  try {
    return await host.messages(sessionId, NEWEST_MESSAGES_OPTIONS);
  } catch (error) {
    log.warn("recall.host", toFaultFields(error));
    return null;
  }
}
