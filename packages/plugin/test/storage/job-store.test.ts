import { expect, test } from "bun:test";
import type { JobLease, NewJob } from "../../src/storage/job-records.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { describeOnEachDriver } from "./drivers.ts";
import { firstCommit, session } from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();
const PROJECT = "/project";
const child = "ses_child" as SessionId;
const outcome = {
  proposal: { drop: "prt_1" },
  model: "mock/small",
  inputTokens: 70,
  outputTokens: 5,
};

function job(key: string, change: Partial<NewJob> = {}): NewJob {
  return {
    ...{ kind: "historian", project: PROJECT, sessionId: session, key, urgency: "waits" },
    ...{ input: { from: "msg_1" }, inputDigest: "00" },
    ...change,
  };
}

function lease(owner: string, nowMs: number): JobLease {
  return { owner, nowMs, expiresAtMs: nowMs + 1_000 };
}

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

  test("I27: one job of a project runs at a time, the oldest first; another project has its own", () => {
    const { jobs } = opened();
    jobs.add(job("a"), 1);
    jobs.add(job("b"), 2);
    jobs.add(job("c", { project: "/other" }), 3);
    expect(jobs.take(PROJECT, lease("one", 10))).toMatchObject({
      key: "a",
      attempts: 1,
      state: "running",
    });
    expect(jobs.take(PROJECT, lease("two", 11))).toBeNull();
    expect(jobs.take("/other", lease("two", 11))?.key).toBe("c");
  });

  test("I27: one whose owner was killed is taken up again, and the former owner settles nothing", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(PROJECT, lease("one", 10));
    expect(jobs.take(PROJECT, lease("two", 1_010))).toMatchObject({
      id,
      attempts: 2,
      owner: "two",
    });
    expect(jobs.renew(id, lease("one", 1_020))).toBe(false);
    expect(jobs.settle(id, "one", outcome, 1_020)).toBe(false);
    expect(
      jobs.fail(id, "one", { error: "late", retryAtMs: 0, inputTokens: 1, outputTokens: 1 }),
    ).toBe(false);
    expect(jobs.settle(id, "two", outcome, 1_030)).toBe(true);
  });

  test("a lease that is renewed keeps others away", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(PROJECT, lease("one", 10));
    expect(jobs.renew(id, lease("one", 900))).toBe(true);
    expect(jobs.take(PROJECT, lease("two", 1_500))).toBeNull();
  });

  test("I27: a job settles at most once; its proposal waits until a commit takes it", () => {
    const { jobs, ledger } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(PROJECT, lease("one", 10));
    expect(jobs.settle(id, "one", outcome, 20)).toBe(true);
    expect(jobs.settle(id, "one", { ...outcome, proposal: "again" }, 30)).toBe(false);
    const waiting = { id, kind: "historian", urgency: "waits", output: outcome.proposal } as const;
    expect(jobs.proposals(session)).toEqual([waiting]);
    ledger.commit(firstCommit(), [id]);
    expect(jobs.proposals(session)).toEqual([]);
    expect(jobs.list(PROJECT, 1)).toMatchObject([
      { state: "taken", model: "mock/small", settledAtMs: 20 },
    ]);
  });

  test("a commit that is lost takes no proposal", () => {
    const { jobs, ledger } = opened();
    ledger.commit(firstCommit());
    const id = jobs.addSettled(job("a"), "now", 5) ?? 0;
    expect(ledger.commit(firstCommit(), [id])).toEqual({ kind: "lost" });
    expect(jobs.proposals(session)).toHaveLength(1);
  });

  test("what a command asks for waits at once; what is stale is forgotten", () => {
    const { jobs } = opened();
    const id = jobs.addSettled(job("a", { urgency: "command" }), { fold: true }, 5) ?? 0;
    expect(jobs.proposals(session)).toMatchObject([{ urgency: "command", output: { fold: true } }]);
    jobs.markStale([id]);
    expect(jobs.proposals(session)).toEqual([]);
    expect(jobs.list(PROJECT, 1)[0]?.state).toBe("stale");
    expect(jobs.take(PROJECT, lease("one", 10))).toBeNull();
  });

  test("one that fails is due again when it was said to be, or given up", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    const failure = { error: "timeout", inputTokens: 10, outputTokens: 1 };
    jobs.take(PROJECT, lease("one", 10));
    expect(jobs.fail(id, "one", { ...failure, retryAtMs: 500 })).toBe(true);
    expect(jobs.take(PROJECT, lease("one", 499))).toBeNull();
    expect(jobs.take(PROJECT, lease("one", 500))).toMatchObject({ attempts: 2, error: "timeout" });
    expect(jobs.fail(id, "one", { ...failure, retryAtMs: null })).toBe(true);
    expect(jobs.take(PROJECT, lease("one", 9_999))).toBeNull();
    expect(jobs.list(PROJECT, 1)).toMatchObject([
      { state: "given_up", inputTokens: 20, outputTokens: 2 },
    ]);
  });

  test("failures in a row are counted up to the last one that settled", () => {
    const { jobs } = opened();
    for (const [index, key] of ["a", "b", "c"].entries()) {
      const id = jobs.add(job(key), index + 1) ?? 0;
      jobs.take(PROJECT, lease("one", 10 * (index + 1)));
      if (key === "a") jobs.settle(id, "one", outcome, 15);
      else
        jobs.fail(id, "one", { error: "http", retryAtMs: null, inputTokens: 0, outputTokens: 0 });
    }
    expect(jobs.failuresInARow(PROJECT)).toEqual({ count: 2, lastAtMs: 30 });
    expect(jobs.failuresInARow("/other")).toEqual({ count: 0, lastAtMs: 0 });
  });

  test("tokens are summed by project, by session and by time", () => {
    const { jobs } = opened();
    const other = "ses_other" as SessionId;
    for (const [at, sessionId] of [
      [10, session],
      [20, other],
    ] as const) {
      const id = jobs.add(job(`${at}`, { sessionId }), at) ?? 0;
      jobs.take(PROJECT, lease("one", at));
      jobs.settle(id, "one", outcome, at + 1);
    }
    expect(jobs.spentTokens({ project: PROJECT, sessionId: null }, 0)).toBe(150);
    expect(jobs.spentTokens({ project: PROJECT, sessionId: other }, 0)).toBe(75);
    expect(jobs.spentTokens({ project: PROJECT, sessionId: null }, 15)).toBe(75);
  });

  test("I27: where a killed process has left its call's session in the host is known", () => {
    const { jobs } = opened();
    const id = jobs.add(job("a"), 1) ?? 0;
    jobs.take(PROJECT, lease("one", 10));
    jobs.callsIn(id, "one", child);
    expect(jobs.leftChildren(PROJECT, 500)).toEqual([]);
    expect(jobs.leftChildren(PROJECT, 1_010)).toEqual([{ id, childSessionId: child }]);
    jobs.callsIn(id, "two", null);
    expect(jobs.leftChildren(PROJECT, 1_010)).toHaveLength(1);
    jobs.callsIn(id, "one", null);
    expect(jobs.leftChildren(PROJECT, 1_010)).toEqual([]);
  });

  test("a session's jobs go with it", () => {
    const { jobs, sessions } = opened();
    jobs.add(job("a"), 1);
    jobs.add(job("b", { sessionId: null }), 2);
    sessions.remove(session);
    expect(jobs.list(PROJECT, 9).map(({ key }) => key)).toEqual(["b"]);
  });
});
