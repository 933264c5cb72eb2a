import { expect, test } from "bun:test";
import type { Edit } from "../../src/ledger/edit.ts";
import type { SessionMessage } from "../../src/session/history.ts";
import { createRewriteCheck } from "../../src/session/next-call.ts";
import type { EntryRecord } from "../../src/storage/ledger-table.ts";
import { assistant, done, fold, insert, replace, text, user } from "../ledger/history.ts";

const COMPLETED_MS = 1_000;

function answered(id: string, completed: number): SessionMessage {
  const message = assistant(id, text("done"), done(`c-${id}`, "ok"));
  return { ...message, info: { ...message.info, time: { created: 0, completed } } } as never;
}

const messages = [
  user("u1", text("one")),
  answered("a1", 500),
  answered("a2", COMPLETED_MS),
] as unknown as readonly SessionMessage[];

function entry(edit: Edit | null, decidedAtMs: number): EntryRecord {
  return { edit, decidedAtMs } as never;
}

function isOutdated(...shown: readonly EntryRecord[]): boolean {
  const [, , answer] = messages;
  return answer !== undefined && createRewriteCheck(shown, messages)(answer);
}

test("figures of a call are outdated once what it sent is dropped or folded", () => {
  expect(isOutdated(entry(replace("a1.1", "[gone]"), COMPLETED_MS + 1))).toBe(true);
  expect(isOutdated(entry(fold("u1", "a1", "so far"), COMPLETED_MS + 1))).toBe(true);
});

test("figures of a call hold as long as nothing before it has changed since", () => {
  expect(isOutdated()).toBe(false);
  expect(isOutdated(entry(null, COMPLETED_MS + 1))).toBe(false);
  expect(isOutdated(entry(replace("a1.1", "[gone]"), COMPLETED_MS - 1))).toBe(false);
  expect(isOutdated(entry(replace("a1.1", "[gone]"), COMPLETED_MS))).toBe(false);
  expect(isOutdated(entry(insert("a1", "news"), COMPLETED_MS + 1))).toBe(false);
});

test("one edit before the answer outdates its figures, whatever others stand after it", () => {
  const before = entry(replace("a1.1", "[gone]"), COMPLETED_MS + 1);
  const own = entry(replace("a2.1", "[cut]"), COMPLETED_MS + 1);
  expect(isOutdated(before, own)).toBe(true);
  expect(isOutdated(own, before)).toBe(true);
});

test("what an answer itself asked for is counted with what is sent of it, and outdates nothing", () => {
  expect(isOutdated(entry(replace("a2.1", "[cut]"), COMPLETED_MS + 1))).toBe(false);
});

test("an answer that is not complete, or gone, says nothing", () => {
  const drop = entry(replace("a1.1", "[gone]"), COMPLETED_MS + 1);
  const gone = { ...answered("a9", 1), parts: [] };
  expect(createRewriteCheck([drop], messages)(gone)).toBe(false);
  const unfinished = { ...answered("a3", 1) };
  const half = { ...unfinished, info: { ...unfinished.info, time: { created: 0 } } };
  const open = [...messages, half as SessionMessage];
  expect(createRewriteCheck([drop], open)(half)).toBe(false);
});
