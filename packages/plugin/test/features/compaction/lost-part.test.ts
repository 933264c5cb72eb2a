import { expect, test } from "bun:test";
import { toSourceKey } from "../../../src/context/key.ts";
import { emptySnapshot } from "../../../src/context/snapshot.ts";
import { absent, isUnavailable } from "../../../src/context/source.ts";
import { observeState } from "../../../src/context/system-context.ts";
import {
  continuityKey,
  createContinuitySource,
  type LostPart,
  LostParts,
} from "../../../src/features/compaction/summary-check.ts";
import type { HistoryHead } from "../../../src/session/history.ts";
import { StorageError } from "../../../src/storage/errors.ts";
import { briefRecord, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";

const workspace = new Workspace();

function finished(compactionId: string, summary: string): HistoryHead {
  return { kind: "compacted", compactionId, summaryId: `${compactionId}-summary`, summary };
}

function stored() {
  const database = workspace.open(workspace.path());
  database.briefs.append(briefRecord("msg_1"));
  let reads = 0;
  const parts = new LostParts(() => {
    reads += 1;
    return database;
  });
  return { database, parts, reads: () => reads };
}

const LOST: LostPart = {
  compactionId: "msg_1",
  stage: "bug-fix",
  step: "Apply it.",
  nextAction: null,
  gate: "Tests pass.",
};

test("what a summary lost is found by the brief of that very compaction", () => {
  const { database, parts } = stored();
  database.briefs.append({
    ...briefRecord("msg_2"),
    essentials: { stage: "bug-verify", step: null, nextAction: null, gate: null },
  });
  expect(parts.loadLostPart(session, finished("msg_1", "Nothing."), emptySnapshot)).toEqual(LOST);
  expect(parts.loadLostPart(session, finished("msg_2", "Nothing."), emptySnapshot)).toMatchObject({
    compactionId: "msg_2",
    stage: "bug-verify",
  });
});

test("nothing is lost in a summary that kept all, without a compaction, or without a brief of it", () => {
  const { parts } = stored();
  const kept = "We are in bug-fix: apply it; the tests have to pass.";
  expect(parts.loadLostPart(session, finished("msg_1", kept), emptySnapshot)).toBe(absent);
  expect(parts.loadLostPart(session, { kind: "whole" }, emptySnapshot)).toBe(absent);
  expect(parts.loadLostPart(session, finished("msg_of_a_fork", ""), emptySnapshot)).toBe(absent);
});

test("I20: it is found out once per summary, and is the same value then", () => {
  const { parts, reads } = stored();
  const first = parts.loadLostPart(session, finished("msg_1", ""), emptySnapshot);
  expect(parts.loadLostPart(session, finished("msg_1", ""), emptySnapshot)).toBe(first);
  expect(reads()).toBe(1);
});

test("I8: while a later compaction is unfinished, what was told stands", () => {
  const { parts } = stored();
  const key = toSourceKey(continuityKey);
  const state = observeState(
    createContinuitySource(() => absent),
    key,
    LOST,
  );
  if (state.kind !== "present") throw new Error("no value");
  const told = { [key]: state.value.toSnapshotEntry() };
  expect(parts.loadLostPart(session, { kind: "broken" }, told)).toEqual(LOST);
  expect(parts.loadLostPart(session, { kind: "broken" }, emptySnapshot)).toBe(absent);
  expect(parts.loadLostPart(session, { kind: "whole" }, told)).toBe(absent);
});

test("I8: a database that can't be asked makes it unavailable, and it is asked again", () => {
  const { database } = stored();
  let broken = true;
  const parts = new LostParts(() => {
    if (broken) throw new StorageError("locked", "locked");
    return database;
  });
  expect(isUnavailable(parts.loadLostPart(session, finished("msg_1", ""), emptySnapshot))).toBe(
    true,
  );
  broken = false;
  expect(parts.loadLostPart(session, finished("msg_1", ""), emptySnapshot)).toEqual(LOST);
});
