// Creates the commits feature: commits are indexed while sessions work, and recall's tools find them.
import { setTimeout as after } from "node:timers/promises";
import type { SearchIndex } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { Finder, Finding, SemanticCorpus } from "../../feature-api/finders.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { toFaultFields } from "../../log/fault.ts";
import { formatCount } from "../../status/wording.ts";
import type { ProjectId } from "../../storage/records.ts";
import { CommitIndex, type IndexedCommit } from "./commit-index.ts";
import { CommitIndexer } from "./commit-indexer.ts";
import { commitSettings } from "./settings.ts";

// Finds commits for `ctx_search` and shows them for `ctx_expand`.

/** Runs `work` on the project's index; returns `otherwise` if the index can't be read. */
type ReadCommitIndex = <Result>(
  otherwise: Result,
  work: (index: CommitIndex, project: ProjectId) => Result,
) => Promise<Result>;

/** The number of lines shown of a commit that is found; `ctx_expand` shows the rest. */
const MAX_SHOWN_LINES = 4;

export function createCommitFinder(reading: ReadCommitIndex): {
  readonly finder: Finder;
  readonly semantic: SemanticCorpus;
} {
  const findByHashes = (hashes: readonly string[]) =>
    reading<readonly (IndexedCommit | null)[]>([], (index, project) =>
      hashes.map((hash) => index.findByHash(project, hash)),
    );
  const finder: Finder = {
    search: async (_, terms) => {
      const found = await reading<readonly IndexedCommit[]>([], (index, project) =>
        index.search(project, terms),
      );
      return { findings: found.map((commit) => toFinding(commit, MAX_SHOWN_LINES)), inContext: 0 };
    },
    show: async (ref) => {
      const commit = await reading<IndexedCommit | null>(null, (index, project) =>
        index.findByRef(project, ref),
      );
      return commit && toFinding(commit, Number.MAX_SAFE_INTEGER);
    },
  };
  const semantic: SemanticCorpus = {
    kind: "commit",
    list: async () => null,
    texts: async (keys) =>
      (await findByHashes(keys)).map((commit) => commit && `${commit.subject}\n${commit.body}`),
    find: async (_, keys) =>
      (await findByHashes(keys)).map((commit) =>
        commit ? toFinding(commit, MAX_SHOWN_LINES) : "gone",
      ),
  };
  return { finder, semantic };
}

function toFinding(commit: IndexedCommit, most: number): Finding {
  const { ref, hash, author, subject, body, files, madeAtMs } = commit;
  const lines = [subject, ...body.split("\n").filter((line) => line.trim() !== ""), ...files];
  return {
    ref,
    words: `commit ${hash.slice(0, 10)} by ${author}`,
    lines: lines.slice(0, most),
    madeAtMs,
  };
}

/** The pause between two batches, in which the host runs. */
const BATCH_PAUSE_MS = 2;

interface CommitsInstance extends FeatureInstance {
  readonly provides: { readonly finder: Finder; readonly corpus: SemanticCorpus };
}

interface CommitsDeps {
  readonly index: Pick<SearchIndex, "file">;
}

export function createCommitsFeature(
  context: FeatureContext,
  { index: { file } }: CommitsDeps,
): CommitsInstance {
  const { config, location, log, notices, project, now } = context;
  const { maxIndexed } = selectSettings(config, commitSettings);
  const logFailure = (error: unknown) => log.warn("commits.failed", toFaultFields(error));
  const indexer = new CommitIndexer({
    file,
    directory: location.directory,
    project: () => project.id(),
    ...{ most: maxIndexed, failed: logFailure, now },
    tooMany: (commits) =>
      notices.notice({
        code: "commits_too_many",
        severity: "info",
        message: `The history has ${formatCount(commits)} commits, more than commits.maxIndexed (${formatCount(maxIndexed)}): they are not indexed, and ctx_search doesn't find them.`,
        remedy: "Set commits.maxIndexed higher, or commits.enabled to false.",
      }),
    pause: () => after(BATCH_PAUSE_MS, undefined, { ref: false }),
  });
  const readIndex = async <Result>(
    otherwise: Result,
    work: (index: CommitIndex, id: ProjectId) => Result,
  ): Promise<Result> => {
    try {
      const id = await project.id();
      return file.use((store) => work(new CommitIndex(store), id));
    } catch (error) {
      logFailure(error);
      return otherwise;
    }
  };
  const { finder, semantic } = createCommitFinder(readIndex);
  return {
    provides: { finder, corpus: semantic },
    hooks: {
      sent: () => void indexer.update(),
      settled: async () => void indexer.update(),
      closed() {
        indexer.close();
        file.close();
      },
    },
  };
}
