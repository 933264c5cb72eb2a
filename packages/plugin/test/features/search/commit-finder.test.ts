import { expect, test } from "bun:test";
import type { SearchRequest } from "../../../src/feature-api/finders.ts";
import type { CommitIndex, IndexedCommit } from "../../../src/features/search/commit-index.ts";
import { createCommitFinder } from "../../../src/features/search/create-commits.ts";
import type { Ref } from "../../../src/ledger/ref.ts";
import type { ProjectId, SessionId } from "../../../src/storage/records.ts";

const commit: IndexedCommit = {
  ref: "ref" as Ref,
  hash: "0123456789abcdef",
  author: "Ann",
  subject: "Move the till",
  body: "One.\n\n  \nTwo.\n  Three.\nFour.",
  files: ["till.ts"],
  madeAtMs: 7,
};
const index = { search: () => [commit], findByRef: () => commit, findByHash: () => commit };
const { finder, semantic } = createCommitFinder(async (_, work) =>
  work(index as unknown as CommitIndex, "key" as ProjectId),
);

test("a commit is found with four of its lines, empty ones left out, and shown with all of them", async () => {
  const shown = { ref: commit.ref, words: "commit 0123456789 by Ann", madeAtMs: 7 };
  const found = { ...shown, lines: ["Move the till", "One.", "Two.", "  Three."] };
  const asker: SearchRequest = { sessionId: "ses_one" as SessionId, within: "session", terms: [] };
  expect(await semantic.find(asker, ["hash"])).toEqual([found]);
  const whole = await finder.show(commit.ref);
  expect(whole).toEqual({ ...found, lines: [...found.lines, "Four.", "till.ts"] });
});
