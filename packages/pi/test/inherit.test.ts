import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EntryRecord, EpochRecord } from "@session-runtime/opencode/storage/ledger-table";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { composeSchema } from "@session-runtime/opencode/storage/schema";
import { entryRecord, epochRecord, session } from "../../plugin/test/storage/records.ts";
import { inheritLedger, sessionIn } from "../src/inherit.ts";

const folder = mkdtempSync(join(tmpdir(), "pi-inherit-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a fork has its parent's epochs and entries, once, and the parent keeps its own", async () => {
  const path = join(folder, "runtime.db");
  const { database } = await openRuntimeDatabase({ path, schema: composeSchema([]) });
  const { ledger } = database;
  const [first, second] = [epochRecord(1), epochRecord(4)];
  const entries = [entryRecord(2, 1), entryRecord(3, 1)];
  ledger.commit({ sessionId: session, expectedSeq: 0, epoch: first, entries });
  ledger.commit({ sessionId: session, expectedSeq: 3, epoch: second, entries: [] });
  const fork = "fork" as SessionId;
  inheritLedger(database, session, fork);
  inheritLedger(database, session, fork);
  const of = (id: SessionId) => ledger.load(id);
  expect(of(fork).epochs).toEqual(of(session).epochs.map((one) => ({ ...one, sessionId: fork })));
  expect(of(fork).entries).toEqual(of(session).entries.map((one) => ({ ...one, sessionId: fork })));
  expect(of(session).entries.length).toBe(2);
  database.close();
});

test("a fork has what an undo has added to a former epoch, too", async () => {
  const path = join(folder, "undone.db");
  const { database } = await openRuntimeDatabase({ path, schema: composeSchema([]) });
  const { ledger } = database;
  const add = (expectedSeq: number, epoch: EpochRecord | null, entries: readonly EntryRecord[]) =>
    ledger.commit({ sessionId: session, expectedSeq, epoch, entries });
  add(0, epochRecord(1), [entryRecord(2, 1)]);
  add(2, epochRecord(3), [entryRecord(4, 3)]);
  // The second epoch was undone.
  add(4, null, [entryRecord(5, 1)]);
  add(5, epochRecord(6), [entryRecord(7, 6)]);
  add(7, null, [entryRecord(8, 1)]);
  const fork = "fork" as SessionId;
  inheritLedger(database, session, fork);
  const { epochs, entries } = ledger.load(session);
  expect(ledger.load(fork)).toEqual({
    epochs: epochs.map((one) => ({ ...one, sessionId: fork })),
    entries: entries.map((one) => ({ ...one, sessionId: fork })),
  });
  expect(ledger.headSeq(fork)).toBe(8);
  database.close();
});

test("the session of a file is the one in its first line; there is none in what can't be read", () => {
  const path = join(folder, "session.jsonl");
  writeFileSync(path, '{"type":"session","id":"abc"}\n{"type":"message","id":"other"}\n');
  expect(sessionIn(path)).toBe("abc" as SessionId);
  writeFileSync(path, "no JSON");
  expect(sessionIn(path)).toBeNull();
  expect(sessionIn(join(folder, "missing.jsonl"))).toBeNull();
});
