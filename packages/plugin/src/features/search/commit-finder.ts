// Finds commits for `ctx_search` and shows them for `ctx_expand`.
import type { Finder, Finding, SemanticCorpus } from "../../feature-api/finders.ts";
import type { ProjectId } from "../../storage/records.ts";
import type { CommitIndex, IndexedCommit } from "./commit-index.ts";

/** Runs on the project's index; returns `otherwise` if the index can't be read. */
type ReadCommits = <Result>(
  otherwise: Result,
  work: (index: CommitIndex, project: ProjectId) => Result,
) => Promise<Result>;

/** The number of lines shown of a commit that is found; `ctx_expand` shows the rest. */
const SHOWN_LINES = 4;

export function commitFinder(reading: ReadCommits): {
  readonly finder: Finder;
  readonly semantic: SemanticCorpus;
} {
  const byHash = (hashes: readonly string[]) =>
    reading<readonly (IndexedCommit | null)[]>([], (index, project) =>
      hashes.map((hash) => index.byHash(project, hash)),
    );
  const finder: Finder = {
    search: async (_, terms) => {
      const found = await reading<readonly IndexedCommit[]>([], (index, project) =>
        index.search(project, terms),
      );
      return { findings: found.map((commit) => toFinding(commit, SHOWN_LINES)), inContext: 0 };
    },
    show: async (ref) => {
      const commit = await reading<IndexedCommit | null>(null, (index, project) =>
        index.byRef(project, ref),
      );
      return commit && toFinding(commit, Number.MAX_SAFE_INTEGER);
    },
  };
  const semantic: SemanticCorpus = {
    kind: "commit",
    list: async () => null,
    texts: async (keys) =>
      (await byHash(keys)).map((commit) => commit && `${commit.subject}\n${commit.body}`),
    find: async (_, keys) =>
      (await byHash(keys)).map((commit) => (commit ? toFinding(commit, SHOWN_LINES) : "gone")),
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
