import { expect, test } from "bun:test";
import { JobBoard } from "../../src/features/job-board.ts";
import type { JobStore } from "../../src/storage/job-store.ts";
import type { SessionId } from "../../src/storage/records.ts";

test("what is proposed is stored settled, and whoever decides hears of it after that", () => {
  const heard: unknown[] = [];
  const addSettled: JobStore["addSettled"] = (job, proposal, nowMs) =>
    heard.push({ ...job, proposal, nowMs });
  const store = () => ({ addSettled }) as JobStore;
  const board = new JobBoard({
    ...{ store, project: "/work", now: () => 7, added: () => undefined },
    proposed: (sessionId) => heard.push(sessionId),
  });
  const sessionId = "ses_1" as SessionId;
  const job = {
    kind: "k",
    key: "1",
    urgency: "waits",
    input: null,
    subject: null,
    sessionId,
  } as const;
  board.propose(job, { partIds: [] });
  expect(heard).toEqual([
    { ...job, project: "/work", proposal: { partIds: [] }, nowMs: 7 },
    sessionId,
  ]);
});

test("what is added is stored for the project, and whoever runs jobs hears of it; the same again is not", () => {
  const heard: unknown[] = [];
  const ids = [4, null];
  const add: JobStore["add"] = (job, nowMs) => {
    heard.push({ ...job, nowMs });
    return ids.shift() ?? null;
  };
  const store = () => ({ add }) as JobStore;
  const board = new JobBoard({
    ...{ store, project: "/work", now: () => 7, proposed: () => undefined },
    added: () => heard.push("woken"),
  });
  const job = {
    kind: "k",
    key: "1",
    urgency: "waits",
    input: { page: 1 },
    subject: null,
    sessionId: "ses_1" as SessionId,
  } as const;
  expect(board.add(job)).toBe(4);
  expect(board.add(job)).toBeNull();
  const stored = { ...job, project: "/work", nowMs: 7 };
  expect(heard).toEqual([stored, "woken", stored]);
});
