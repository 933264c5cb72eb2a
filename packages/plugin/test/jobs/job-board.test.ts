import { expect, test } from "bun:test";
import { JobQueue } from "../../src/feature-api/feature-context.ts";
import type { JobStore } from "../../src/storage/job-store.ts";
import type { ProjectId, SessionId } from "../../src/storage/records.ts";

const SHOP = "folder:/shop" as ProjectId;

test("what is added is stored for the board and its project, and whoever runs jobs hears of it; the same again is not", () => {
  const heard: unknown[] = [];
  const ids = [4, null];
  const add: JobStore["add"] = (job, nowMs) => {
    heard.push({ ...job, nowMs });
    return ids.shift() ?? null;
  };
  const store = () => ({ add }) as JobStore;
  const worker = new JobQueue({
    ...{ store, worker: "/work", project: () => SHOP, now: () => 7 },
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
  expect(worker.add(job)).toBe(4);
  expect(worker.add(job)).toBeNull();
  const stored = { ...job, board: "/work", project: SHOP, nowMs: 7 };
  expect(heard).toEqual([stored, "woken", stored]);
});
