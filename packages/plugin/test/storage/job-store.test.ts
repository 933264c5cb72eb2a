import { expect, test } from "bun:test";
import type { Driver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import {
  isRunningJob,
  type JobLease,
  listFailureCodes,
  type NewJob,
} from "../../src/storage/job-records.ts";
import { createJobStore } from "../../src/storage/job-store.ts";
import type { ProjectId, SessionId } from "../../src/storage/records.ts";
import { describeOnEachDriver } from "./drivers.ts";
import { session } from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();
const PROJECT = "/project" as ProjectId;
const OTHER = "/other" as ProjectId;
const child = "ses_child" as SessionId;
const noTokens = { inputTokens: 0, outputTokens: 0 };
const nobody = () => false;
const failure = { error: "timeout", model: null, inputTokens: 10, outputTokens: 1 };
const outcome = { model: "mock/small", inputTokens: 70, outputTokens: 5 };

function job(key: string, change: Partial<NewJob> = {}): NewJob {
  return {
    ...{
      kind: "historian",
      board: PROJECT,
      project: PROJECT,
      sessionId: session,
      key,
      urgency: "waits",
    },
    ...{ input: { from: "msg_1" }, subject: null },
    ...change,
  };
}

/** A settlement that keeps nothing. */
const at = (nowMs: number) => ({ nowMs, write: () => undefined });

function lease(owner: string, nowMs: number): JobLease {
  return { owner, nowMs, expiresAtMs: nowMs + 1_000 };
}

test("a job is run by somebody while it runs, has an owner that lives, and its lease holds", () => {
  const running = { state: "running", owner: "a", expiresAtMs: 10 } as const;
  expect(isRunningJob(running, 9, nobody)).toBe(true);
  expect(isRunningJob(running, 10, nobody)).toBe(false);
  expect(isRunningJob(running, 9, () => true)).toBe(false);
  expect(isRunningJob({ ...running, state: "settled" }, 9, nobody)).toBe(false);
  expect(isRunningJob({ ...running, owner: null }, 9, nobody)).toBe(false);
  expect(isRunningJob({ ...running, expiresAtMs: null }, 9, nobody)).toBe(false);
});

describeOnEachDriver("job store", (openDriver) => {
  const opened = () => workspace.open(workspace.path(), openDriver);

  test("I27: the same work is one row", () => {
    const { jobs } = opened();
    expect(jobs.add(job("a"), 1)).not.toBeNull();
    expect(jobs.add(job("a"), 2)).toBeNull();
    expect(jobs.add(job("a", { kind: "other" }), 3)).not.toBeNull();
    expect(jobs.list(PROJECT, 9).map(({ kind, state }) => [kind, state])).toEqual([
      ["other", "due"],
      ["historian", "due"],
    ]);
  });

  test("I27: one job of a project runs at a time; another project has its own", () => {
    const { jobs } = opened();
    const first = jobs.add(job("a"), 1) ?? 0;
    const second = jobs.add(job("b"), 2) ?? 0;
    const elsewhere = jobs.add(job("c", { board: OTHER, project: OTHER }), 3) ?? 0;
    expect(jobs.take(first, lease("one", 10), nobody)).toMatchObject({
      key: "a",
      attempts: 1,
      state: "running",
      owner: "one",
      startedAtMs: 10,
      expiresAtMs: 1_010,
    });
    expect(jobs.take(first, lease("two", 11), nobody)).toBeNull();
    expect(jobs.take(second, lease("two", 11), nobody)).toBeNull();
    expect(jobs.take(elsewhere, lease("two", 11), nobody)?.key).toBe("c");
    expect(jobs.take(999, lease("two", 11), nobody)).toBeNull();
  });

  test("I27: one whose owner was killed is taken up again, and the former owner writes nothing", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(id, lease("one", 10), nobody);
    expect(jobs.take(id, lease("two", 1_009), nobody)).toBeNull();
    expect(jobs.take(id, lease("two", 1_010), nobody)).toMatchObject({
      attempts: 2,
      owner: "two",
    });
    expect(jobs.renew(id, lease("one", 1_020))).toBe(false);
    expect(jobs.callsIn(id, "one", child, noTokens)).toBe(false);
    expect(jobs.settle(id, "one", outcome, at(1_020))).toBe(false);
    expect(jobs.fail(id, "one", { ...failure, retryAtMs: 0 })).toBe(false);
    jobs.release(id, "one", noTokens);
    expect(jobs.settle(id, "two", outcome, at(1_030))).toBe(true);
  });

  test("I27: what is kept of an output is written with the settlement, or not at all", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(id, lease("one", 10), nobody);
    const note = job("noted");
    const write = (driver: Driver) => void createJobStore(driver).add(note, 20);
    expect(jobs.settle(id, "two", outcome, { nowMs: 20, write })).toBe(false);
    expect(jobs.list(PROJECT, 9)).toHaveLength(1);
    const refuse = () => {
      throw new Error("no room");
    };
    expect(() => jobs.settle(id, "one", outcome, { nowMs: 20, write: refuse })).toThrow(
      "Nothing of it was",
    );
    expect(jobs.list(PROJECT, 9)).toMatchObject([{ state: "running" }]);
    expect(jobs.settle(id, "one", outcome, { nowMs: 20, write })).toBe(true);
    expect(jobs.list(PROJECT, 9).map(({ key, state }) => `${key} ${state}`)).toEqual([
      ...["noted due", "a settled"],
    ]);
  });

  test("an owner that is known to be gone is not waited for", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(id, lease("one", 10), nobody);
    expect(jobs.take(id, lease("two", 11), (owner) => owner === "one")?.owner).toBe("two");
  });

  test("a lease that is renewed keeps others away", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(id, lease("one", 10), nobody);
    expect(jobs.renew(id, lease("one", 900))).toBe(true);
    expect(jobs.take(id, lease("two", 1_500), nobody)).toBeNull();
  });

  test("I27: a job settles at most once", () => {
    const path = workspace.path();
    const { jobs } = workspace.open(path, openDriver);
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(id, lease("one", 10), nobody);
    expect(jobs.settle(id, "one", outcome, at(20))).toBe(true);
    expect(jobs.settle(id, "one", { ...outcome, model: "another" }, at(30))).toBe(false);
    expect(jobs.take(id, lease("two", 9_999), nobody)).toBeNull();
    expect(jobs.list(PROJECT, 1)).toMatchObject([
      { state: "settled", model: "mock/small", settledAtMs: 20 },
    ]);
    const driver = openBunDriver(path);
    expect(() => driver.run("UPDATE job SET state = 'due'")).toThrow("settles at most once");
    driver.close();
  });

  test("one that fails is due again when it was said to be, or given up; each failure leaves its code", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(id, lease("one", 10), nobody);
    expect(jobs.fail(id, "one", { ...failure, retryAtMs: 500 })).toBe(true);
    expect(jobs.take(id, lease("one", 499), nobody)).toBeNull();
    expect(jobs.take(id, lease("one", 500), nobody)).toMatchObject({ attempts: 2 });
    expect(jobs.fail(id, "one", { ...failure, error: "refused", retryAtMs: null })).toBe(true);
    expect(jobs.take(id, lease("one", 9_999), nobody)).toBeNull();
    const row = jobs.list(PROJECT, 1)[0];
    expect(row).toMatchObject({ state: "given_up", inputTokens: 20, outputTokens: 2 });
    expect(row && listFailureCodes(row)).toEqual(["timeout", "refused"]);
  });

  test("one that its process lets go is due again, and the attempt does not count", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(id, lease("one", 10), nobody);
    jobs.release(id, "one", { inputTokens: 7, outputTokens: 0 });
    expect(jobs.list(PROJECT, 1)).toMatchObject([
      { state: "due", attempts: 0, owner: null, expiresAtMs: null, inputTokens: 7 },
    ]);
  });

  test("one that was killed too often is given up, but not in the hands of who has just taken it", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(id, lease("one", 10), nobody);
    jobs.giveUpKilled(id, 2);
    expect(jobs.list(PROJECT, 1)[0]?.state).toBe("running");
    jobs.giveUpKilled(id, 1);
    expect(jobs.list(PROJECT, 1)).toMatchObject([{ state: "given_up", error: "killed" }]);
  });

  test("by hand: one that was given up is due again with all its attempts; one that waits or runs is given up", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    expect(jobs.stop(id)).toBe(true);
    expect(jobs.list(PROJECT, 1)).toMatchObject([{ state: "given_up", error: "stopped" }]);
    expect(jobs.stop(id)).toBe(false);
    expect(jobs.retry(id, 50)).toBe(true);
    expect(jobs.list(PROJECT, 1)).toMatchObject([
      { state: "due", attempts: 0, error: null, dueAtMs: 50 },
    ]);
    jobs.take(id, lease("one", 60), nobody);
    expect(jobs.retry(id, 70)).toBe(false);
    expect(jobs.stop(id)).toBe(true);
    expect(jobs.renew(id, lease("one", 80))).toBe(false);
    expect(jobs.settle(id, "one", outcome, at(90))).toBe(false);
    expect(jobs.retry(999, 1)).toBe(false);
  });

  test("of each kind and session the newest sixteen that were begun are shown, however many others were", () => {
    const { jobs } = opened();
    const other = "ses_other" as SessionId;
    const begin = (key: string, sessionId: SessionId, atMs: number, kind = "historian") => {
      const id = jobs.add(job(key, { sessionId, kind }), atMs) ?? 0;
      jobs.take(id, lease("one", atMs), nobody);
      jobs.fail(id, "one", { ...failure, retryAtMs: null });
    };
    begin("first", other, 5);
    begin("of another kind", session, 6, "upkeep");
    for (let at = 10; at < 50; at += 1) begin(`busy ${at}`, session, at);
    const { begun } = jobs.now(PROJECT, 0);
    const newest = Array.from({ length: 16 }, (_, at) => 49 - at);
    expect(begun.map(({ startedAtMs }) => startedAtMs)).toEqual([...newest, 6, 5]);
    expect(jobs.begunIn(session, 0).map(({ startedAtMs }) => startedAtMs)).toEqual([...newest, 6]);
    expect(jobs.begunIn(session, 45).map(({ startedAtMs }) => startedAtMs)).toEqual([
      ...[49, 48, 47, 46, 45],
    ]);
  });

  test("what there is to decide on: open ones oldest first, begun ones newest first, tokens by session", () => {
    const { jobs } = opened();
    const other = "ses_other" as SessionId;
    const begin = (key: string, sessionId: SessionId | null, atMs: number) => {
      const id = jobs.add(job(key, { sessionId }), atMs) ?? 0;
      jobs.take(id, lease("one", atMs), nobody);
      return id;
    };
    jobs.settle(begin("old", session, 10), "one", outcome, at(11));
    jobs.settle(begin("a", session, 20), "one", outcome, at(21));
    jobs.settle(begin("b", other, 30), "one", outcome, at(31));
    jobs.settle(begin("c", null, 40), "one", outcome, at(41));
    jobs.fail(begin("d", session, 50), "one", { ...failure, retryAtMs: 900 });
    jobs.add(job("e"), 60);
    jobs.add(job("elsewhere", { board: OTHER, project: OTHER }), 60);
    const { open, begun, spentTokens } = jobs.now(PROJECT, 15);
    expect(open.map(({ state, dueAtMs }) => [state, dueAtMs])).toEqual([
      ["due", 60],
      ["failed", 900],
    ]);
    expect(begun.map(({ startedAtMs, state }) => [startedAtMs, state])).toEqual([
      [50, "failed"],
      [40, "settled"],
      [30, "settled"],
      [20, "settled"],
    ]);
    expect(spentTokens).toEqual(
      new Map([
        [null, 75],
        [session, 86],
        [other, 75],
      ]),
    );
  });

  test("a feature finds its jobs by session, by id, and what they cost by what they are about", () => {
    const { jobs } = opened();
    const subject = (name: string | null, change: Partial<NewJob> = {}) => ({
      subject: name,
      ...change,
    });
    const begin = (key: string, change: Partial<NewJob>, atMs: number) => {
      const id = jobs.add(job(key, change), atMs) ?? 0;
      jobs.take(id, lease("one", atMs), nobody);
      jobs.settle(id, "one", outcome, at(atMs));
      return id;
    };
    const first = begin("a", subject("run 1"), 10);
    const second = begin("b", subject("run 2"), 20);
    begin("c", subject("run 2", { sessionId: null }), 30);
    begin("d", subject("run 2", { kind: "other" }), 40);
    begin("e", subject(null, { sessionId: "ses_other" as SessionId }), 50);
    const waits = jobs.add(job("f", subject("run 3")), 60) ?? 0;
    const known = { state: "settled", error: null } as const;
    const one = { ...known, id: first, subject: "run 1", createdAtMs: 10 };
    expect(jobs.find(first)).toEqual(one);
    expect(jobs.find(999)).toBeNull();
    expect(jobs.ofKind("historian", session)).toEqual([
      one,
      { ...known, id: second, subject: "run 2", createdAtMs: 20 },
      { ...known, id: waits, subject: "run 3", createdAtMs: 60, state: "due" },
    ]);
    expect(jobs.tokensBySubject("historian", 20)).toEqual(
      new Map([
        ["run 2", 150],
        [null, 75],
      ]),
    );
    expect(jobs.tokensBySubject("historian", 0).get("run 1")).toBe(75);
  });

  test("I27: where a call is made, and what it may cost, is on disk before it is made", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(id, lease("one", 10), nobody);
    expect(jobs.callsIn(id, "one", child, { inputTokens: 100, outputTokens: 50 })).toBe(true);
    expect(jobs.now(PROJECT, 0).spentTokens.get(session)).toBe(150);
    expect(jobs.leftChildren(PROJECT, 500, nobody)).toEqual([]);
    const left = [{ id, childSessionId: child }];
    expect(jobs.leftChildren(PROJECT, 1_010, nobody)).toEqual(left);
    expect(jobs.leftChildren(PROJECT, 500, () => true)).toEqual(left);
    jobs.forgetChild(id, "ses_another" as SessionId);
    expect(jobs.leftChildren(PROJECT, 1_010, nobody)).toEqual(left);
    jobs.forgetChild(id, child);
    expect(jobs.leftChildren(PROJECT, 1_010, nobody)).toEqual([]);
    jobs.settle(id, "one", { ...outcome, inputTokens: -30, outputTokens: -45 }, at(20));
    expect(jobs.now(PROJECT, 0).spentTokens.get(session)).toBe(75);
  });

  test("a session's jobs go with it", () => {
    const { jobs, sessions } = opened();
    jobs.add(job("a"), 1);
    jobs.add(job("b", { sessionId: null }), 2);
    sessions.remove(session);
    expect(jobs.list(PROJECT, 9).map(({ key }) => key)).toEqual(["b"]);
  });
});
