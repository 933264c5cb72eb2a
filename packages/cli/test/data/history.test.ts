import { expect, setDefaultTimeout, test } from "bun:test";
import { createRewriteStore } from "@session-runtime/opencode/features/history/rewrite-store";
import type { EntryRecord } from "@session-runtime/opencode/storage/ledger-table";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { rewriteRecord } from "../../../plugin/test/features/history/records.ts";
import {
  entryRecord,
  epochRecord,
  turnRecord,
  usage,
} from "../../../plugin/test/storage/records.ts";
import { type DataFolder, DataFolders, first, second } from "./data-folder.ts";

setDefaultTimeout(600_000);
const folders = new DataFolders();

const FOLD =
  "<session-history>\nA record.\n\n[h:abc123 · 4 messages · fix]\nAsked: mend it.\n</session-history>";
const STUB = "[read src/a.ts: 412 lines, not shown any more. ctx_expand r:k3f9ab shows it]";

/** Folded at its second call; `at` is when its calls were made. */
function store(folder: DataFolder, sessionId: SessionId, atMs: number): void {
  const database = folder.open();
  const { ledger, turns } = database;
  const location = { directory: folder.home, worktree: folder.home };
  const epoch = { ...epochRecord(1, sessionId), location };
  ledger.commit({ sessionId, expectedSeq: 0, epoch, entries: [] });
  const base = { ...entryRecord(3, 2, sessionId), origin: "history", announced: [], delta: {} };
  const fold: EntryRecord = {
    ...{ ...base, endMessageId: "msg_4" },
    edit: { verb: "fold", first: "msg_1", last: "msg_4", text: FOLD },
  };
  const at = { messageId: "msg_6", partId: "prt_6" };
  const drop: EntryRecord = { ...base, seq: 4, edit: { verb: "replace", at, text: STUB } };
  const folded = { ...epoch, seq: 2, cause: "folded", startMessageId: "msg_4" } as const;
  ledger.commit({ sessionId, expectedSeq: 1, epoch: folded, entries: [fold, drop] });
  const gone = { drops: 1, folds: 1, foldedMessages: 4, foldTokens: 40, droppedParts: 1 };
  const rewrite = rewriteRecord(3, { sessionId, epochSeq: 2, atMs: atMs + 10, ...gone });
  database.store(createRewriteStore).append(rewrite);
  for (const [index, epochSeq] of [1, 2, 2].entries()) {
    const sentAtMs = atMs + 10 * index;
    turns.append({ ...turnRecord(sentAtMs, epochSeq, sessionId), newMessageIds: [] });
    turns.settle(sessionId, { usage, cost: null, bust: null, sentAtMs });
  }
}

test("history shows what is folded and dropped in this folder's newest session, and what that saved", async () => {
  const folder = folders.make();
  store(folder, second, Date.now() - 7_200_000);
  store(folder, first, Date.now() - 3_600_000);
  const { out, exitCode } = await folder.run(["history"]);
  expect(exitCode).toBe(0);
  expect(out).toStartWith(`Session Runtime: history of ${first}\n`);
  const words = out.replaceAll(/\s+/g, " ");
  expect(words).toContain(
    "4 messages folded into a record of about 40 tokens, 1 old part dropped. Each call is spared about 10,000 tokens.",
  );
  expect(words).toContain("h:abc123 4 messages fix");
  expect(words).toContain("cost 2,000, spares 10,000 a call, 2,000 in 2 calls so far");
  expect(out).toContain(FOLD);
});

test("as JSON it has every figure: segments, drops, rewrites with their reasons", async () => {
  const folder = folders.make();
  store(folder, first, Date.now() - 3_600_000);
  const { out } = await folder.run(["history", "first", "--json"]);
  expect(JSON.parse(out)).toMatchObject({
    ...{ sessionId: first, savedTokensPerCall: 10_000, foldedMessages: 4, droppedParts: 1 },
    ...{ costTokens: 2_000, savedTokens: 2_000 },
    segments: [{ ref: "h:abc123", messages: 4, kind: "fix", text: "Asked: mend it." }],
    drops: [{ ref: expect.stringMatching(/^r:/), messageId: "msg_6", stub: STUB }],
    folds: [{ first: "msg_1", last: "msg_4", text: FOLD }],
    rewrites: [{ reason: "worth", state: "holds", savedTokensPerCall: 10_000, calls: 2 }],
  });
});

test("of a session that is not there it says which there are, and fails", async () => {
  const folder = folders.make();
  store(folder, first, Date.now() - 3_600_000);
  const { err, exitCode } = await folder.run(["history", "nobody"]);
  expect(exitCode).toBe(4);
  expect(err).toContain('No session has the id "nobody"');
  expect((await folder.run(["history", "--help"])).out).toContain("A session's id");
});
