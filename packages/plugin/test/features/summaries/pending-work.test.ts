import { expect, test } from "bun:test";
import { createResummaryStore } from "../../../src/features/summaries/resummary.ts";
import { readHistorianSection } from "../../../src/features/summaries/section.ts";
import { createSegmentStore } from "../../../src/features/summaries/segment-store.ts";
import { createBatchJob, createResummaryJob } from "../../../src/features/summaries/work.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { createJobStore } from "../../../src/storage/job-store.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";

const workspace = new Workspace();
const other = "ses_other" as SessionId;

function stand() {
  const path = workspace.path();
  workspace.open(path);
  const driver = openBunDriver(path);
  const jobs = createJobStore(driver);
  // What a job is given is its kind's own, and is not looked into to find it.
  const hidden = { board: "/shop", project: null, input: null };
  const batch = (lastId: string, sessionId = session) => {
    const range = { root: "r", place: 0, firstId: "msg_1", lastId, digest: lastId };
    const work = createBatchJob({ purpose: "batch", sessionId, generation: 0, ...range });
    return jobs.add({ ...work, ...hidden }, 1) ?? 0;
  };
  const recomp = (generation: number, sessionId = session) => {
    const work = createResummaryJob({ purpose: "recomp", sessionId, generation, afterId: null });
    return jobs.add({ ...work, ...hidden }, 1) ?? 0;
  };
  return { driver, jobs, batch, recomp, segments: createSegmentStore(driver) };
}

test("a session's batches are found by their last message, apart from other sessions' and from recomps", () => {
  const { driver, jobs, batch, recomp, segments } = stand();
  recomp(1);
  batch("msg_3", other);
  expect(segments.isWaiting(session)).toBe(false);
  const lost = batch("msg_5");
  expect(segments.isWaiting(session)).toBe(true);
  jobs.stop(lost);
  expect(segments.isWaiting(session)).toBe(false);
  batch("msg_9");
  expect(segments.givenUp(session)).toEqual(["msg_5"]);
  expect(readHistorianSection(driver)(session, 2, null)?.text.split("\n")).toMatchObject([
    "Nothing is summarised yet.",
    "1 range to be summarised.",
    "1 range given up: extracts are sent instead.",
    expect.stringContaining("Summarised again"),
  ]);
});

test("the newest recomp of a session is found with its generation, apart from other sessions' and from batches", () => {
  const { driver, jobs, batch, recomp } = stand();
  const { newest } = createResummaryStore(driver);
  batch("msg_5");
  recomp(7, other);
  expect(newest(session)).toBeNull();
  recomp(2);
  const last = recomp(3);
  batch("msg_9");
  expect(newest(session)).toMatchObject({ generation: 3, jobId: last, state: "running" });
  jobs.stop(last);
  expect(newest(session)).toMatchObject({ generation: 3, state: "stopped" });
});
