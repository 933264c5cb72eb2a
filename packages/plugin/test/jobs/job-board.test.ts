import { expect, test } from "bun:test";
import { JobBoard } from "../../src/jobs/job-board.ts";
import type { JobStore } from "../../src/storage/job-records.ts";
import type { SessionId } from "../../src/storage/records.ts";

test("what is proposed is stored settled, and whoever decides hears of it after that", () => {
  const heard: unknown[] = [];
  const addSettled: JobStore["addSettled"] = (job, proposal, nowMs) =>
    heard.push({ ...job, proposal, nowMs });
  const store = () => ({ addSettled }) as JobStore;
  const board = new JobBoard({ store, project: "/work", now: () => 7 });
  board.watchProposals((sessionId) => heard.push(sessionId));
  const sessionId = "ses_1" as SessionId;
  const job = {
    kind: "k",
    key: "1",
    urgency: "waits",
    input: null,
    inputDigest: "",
    sessionId,
  } as const;
  board.propose(job, { partIds: [] });
  expect(heard).toEqual([
    { ...job, project: "/work", proposal: { partIds: [] }, nowMs: 7 },
    sessionId,
  ]);
});
