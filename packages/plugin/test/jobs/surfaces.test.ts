import { expect, test } from "bun:test";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { defaults } from "../../src/config/defaults.ts";
import { jobsCli } from "../../src/jobs/jobs-cli.ts";
import { readJobsSection } from "../../src/jobs/jobs-section.ts";
import { renderInstalledCommand } from "../../src/log/notices.ts";
import { toFolderId } from "../../src/project/project.ts";
import type { Driver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import type { NewJob } from "../../src/storage/job-records.ts";
import { createJobStore } from "../../src/storage/job-store.ts";
import { session } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";

const workspace = new Workspace();
const NOW = 1_700_000_000_000;
const BOARD = realpathSync(tmpdir());
const PROJECT = toFolderId(BOARD);
const nobody = () => false;

function opened(): Driver {
  const path = workspace.path();
  workspace.open(path, openBunDriver);
  return openBunDriver(path);
}

function work(key: string): NewJob {
  return {
    ...{
      kind: "historian",
      board: BOARD,
      project: PROJECT,
      sessionId: session,
      key,
      urgency: "waits",
    },
    ...{ input: { said: "a secret of the session" }, subject: null },
  };
}

function run(driver: Driver, ...words: readonly string[]) {
  const given = new Map(words.map((value, index) => [index === 0 ? "do" : "id", value] as const));
  const around = { env: {}, config: async () => defaults };
  return jobsCli.run({
    given,
    driver,
    directory: BOARD,
    nowMs: NOW,
    typed: renderInstalledCommand,
    ...around,
  });
}

test("JB1: the list says what ran, what it cost and why it failed, and quotes nothing of a session", async () => {
  const driver = opened();
  expect(await run(driver)).toEqual({
    text: `No jobs in ${BOARD}.`,
    values: { jobs: [], paused: [] },
  });
  const jobs = createJobStore(driver);
  const id = jobs.add(work("a"), NOW - 3_600_000) ?? 0;
  const lease = { owner: "one", nowMs: NOW - 1_000, expiresAtMs: NOW + 1_000 };
  jobs.take(id, lease, nobody);
  const failure = { error: "timeout", model: "mock/small", retryAtMs: null };
  jobs.fail(id, "one", { ...failure, inputTokens: 1_234, outputTokens: 5 });
  jobs.add(work("b"), NOW);
  const { text, values } = await run(driver);
  expect(text).toBe(
    [
      `${id + 1}  historian, waiting; just now`,
      `${id}  historian, given up; 60 min ago; 1 attempt; mock/small: 1,234 in, 5 out; failed: timeout`,
    ].join("\n"),
  );
  expect(values).toMatchObject({ jobs: [{ state: "due" }, { failures: ["timeout"] }] });
  expect(JSON.stringify(values)).not.toContain("secret");
  expect(readJobsSection(driver)(session, NOW, null)).toEqual({
    label: "Jobs",
    text: "2 jobs (1 waiting, 1 given up), 1,239 tokens.",
    short: "1 waiting, 1 given up",
  });
  driver.close();
});

test("a source that keeps failing is said to rest, until when and why, in the list and in its session's status", async () => {
  const driver = opened();
  const jobs = createJobStore(driver);
  const id = jobs.add(work("a"), NOW - 3_600_000) ?? 0;
  for (const agoMs of [30, 20, 10].map((minutes) => minutes * 60_000)) {
    const lease = { owner: "one", nowMs: NOW - agoMs, expiresAtMs: NOW };
    jobs.take(id, lease, nobody);
    const retryAtMs = agoMs === 600_000 ? null : NOW - agoMs;
    const used = { inputTokens: 1, outputTokens: 0 };
    jobs.fail(id, "one", { error: "bad_answer", model: "mock/small", retryAtMs, ...used });
  }
  const rests = `Jobs of the kind "historian" failed 3 times in a row (bad_answer); the next is tried in 50 min.`;
  const { text, values } = await run(driver);
  expect(text.split("\n").slice(1)).toEqual([rests]);
  expect(values).toMatchObject({
    paused: [{ kind: "historian", sessionId: session, failures: 3 }],
  });
  expect(readJobsSection(driver)(session, NOW, null)).toEqual({
    label: "Jobs",
    text: `1 job (1 given up), 3 tokens.\n${rests}`,
    short: "1 given up, paused",
  });
  expect(readJobsSection(driver)(session, NOW + 3_000_000, null)?.short).toBe("1 given up");
  driver.close();
});

test("the list is of the whole project, whichever board its jobs are on, and finds out whose the folder's are", async () => {
  const driver = opened();
  const jobs = createJobStore(driver);
  jobs.add({ ...work("a"), project: null }, NOW);
  jobs.add({ ...work("b"), board: `pi:${BOARD}` }, NOW);
  jobs.add({ ...work("c"), board: "/other", project: toFolderId("/other") }, NOW);
  jobs.add({ ...work("d"), board: "/other", project: null }, NOW);
  const { values } = await run(driver);
  expect(values).toMatchObject({ jobs: [{ id: 2 }, { id: 1 }] });
  driver.close();
});

test("retry makes one due again, stop gives one up; where there is none, it says so", async () => {
  const driver = opened();
  const id = String(createJobStore(driver).add(work("a"), NOW));
  expect(await run(driver, "stop", id)).toEqual({
    text: `Job ${id} is stopped.`,
    values: { id: Number(id), changed: "yes" },
  });
  const listed = `${id}  historian, given up; just now; failed: stopped`;
  expect((await run(driver)).text).toBe(listed);
  expect(readJobsSection(driver)(session, NOW, null)?.short).toBe("1 given up");
  expect(() => run(driver, "stop", id)).toThrow(`There is no job ${id} that waits or runs.`);
  expect((await run(driver, "retry", id)).text).toStartWith(`Job ${id} is due again`);
  expect(() => run(driver, "retry", "99")).toThrow("There is no job 99 that failed or waits.");
  expect(() => run(driver, "retry")).toThrow("Give the number of a job");
  expect(() => run(driver, "begin", id)).toThrow("Use `retry` or `stop`");
  driver.close();
});

test("the status says nothing of a session without jobs", () => {
  const driver = opened();
  expect(readJobsSection(driver)(session, NOW, null)).toBeNull();
  driver.close();
});
