import { describe, expect, spyOn, test } from "bun:test";
import type { Reply } from "../../src/jobs/child-port.ts";
import type { ProjectId, SessionId } from "../../src/storage/records.ts";
import { quiet } from "../features/inbox/fake-clock.ts";
import { session } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";
import { FakeJobHost, openJobStage, PROJECT, refusal, word } from "./stage.ts";

const workspace = new Workspace();
const MINUTE_MS = 60_000;

const never = () => new Promise<never>(() => undefined);

describe("the runner", () => {
  test("I26: waking it does nothing yet, and rests where nothing is due", async () => {
    const stage = openJobStage(workspace);
    stage.add("A");
    stage.runner.wake();
    expect(stage.host.done).toEqual([]);
    await stage.wake();
    expect(stage.host.done).toEqual([`open for ${session}`, "prompt A", "remove"]);
  });

  test("I27: settles a job with what it has used, tells its session, and forgets the child", async () => {
    const stage = openJobStage(workspace);
    const id = stage.add("A");
    await stage.wake();
    expect(stage.row(id)).toMatchObject({
      ...{ state: "settled", model: "mock/small", attempts: 1, error: null },
      ...{ inputTokens: 20, outputTokens: 5, childSessionId: null },
    });
    expect(stage.database.proposals.waiting(session)).toMatchObject([
      { kind: "word", output: "<word>yes</word>" },
    ]);
    expect(stage.settled).toEqual([session]);
    expect([stage.failures, stage.opened]).toEqual([[], []]);
    // Neither its time limit nor the renewals of its lease go on.
    expect(stage.timers()).toBe(0);
  });

  test("I27: what a job keeps is in its table when it has settled", async () => {
    const stage = openJobStage(workspace);
    const id = stage.add("A", session, "kept");
    await stage.wake();
    expect(stage.row(id)).toMatchObject({ state: "settled", attempts: 1 });
    expect(stage.database.jobs.list(PROJECT, 1)).toMatchObject([
      { kind: "elsewhere", state: "due", input: { question: `words of ${id} by null` } },
    ]);
  });

  test("a job may name the model that is asked", async () => {
    const stage = openJobStage(workspace);
    const id = stage.add("named");
    await stage.wake();
    expect(stage.row(id)).toMatchObject({ state: "settled", model: "mock/named" });
  });

  test("a job that gives up is not tried again", async () => {
    const stage = openJobStage(workspace);
    stage.host.answer = async () => refusal("unavailable");
    const id = stage.add("two attempts");
    await stage.wake();
    expect(stage.row(id)).toMatchObject({ state: "failed", attempts: 1 });
    await stage.clock.pass(30 * MINUTE_MS);
    expect(stage.row(id)).toMatchObject({
      ...{ state: "given_up", attempts: 2, error: "unavailable,unavailable" },
    });
  });

  test("takes one after the other, one of a project and no session among them", async () => {
    const stage = openJobStage(workspace);
    const ids = [stage.add("A"), stage.add("B", null), stage.add("C")];
    await stage.wake();
    await stage.clock.pass(10);
    expect(ids.map((id) => stage.row(id).state)).toEqual(["settled", "settled", "settled"]);
    expect(stage.host.done.filter((one) => one.startsWith("prompt"))).toEqual([
      ...["prompt A", "prompt B", "prompt C"],
    ]);
    expect(stage.host.done).toContain("open for null");
    expect(stage.settled).toEqual([session, session]);
  });

  test("I27: charges what a call can cost before it is made", async () => {
    const stage = openJobStage(workspace);
    stage.host.answer = never;
    const id = stage.add("A");
    await stage.wake();
    const { inputTokens, outputTokens, childSessionId, state } = stage.row(id);
    expect({ inputTokens, outputTokens, childSessionId, state }).toEqual({
      ...{ inputTokens: 20, outputTokens: 500, childSessionId: "ses_child1" as SessionId },
      state: "running",
    });
  });

  test("a call that takes too long is stopped, its session removed, and made again after a minute", async () => {
    const stage = openJobStage(workspace);
    stage.host.answer = never;
    const id = stage.add("A");
    await stage.wake();
    await stage.clock.pass(5_000);
    expect(stage.row(id)).toMatchObject({ state: "failed", error: "timeout", outputTokens: 0 });
    expect(stage.host.done.slice(-2)).toEqual(["abort", "remove"]);
    stage.host.answer = async () => word("<word>yes</word>");
    await stage.clock.pass(MINUTE_MS);
    await stage.clock.pass(10);
    expect(stage.row(id)).toMatchObject({ state: "settled", attempts: 2 });
  });

  test("I27: makes three attempts with growing waits, opens its source's breaker once, and tries again each hour while others go on", async () => {
    const stage = openJobStage(workspace);
    stage.host.answer = async () => refusal("unavailable");
    const id = stage.add("A");
    await stage.wake();
    await stage.clock.pass(30 * MINUTE_MS);
    expect(stage.row(id)).toMatchObject({
      ...{ state: "given_up", attempts: 3, error: "unavailable,unavailable,unavailable" },
      ...{ inputTokens: 0, outputTokens: 0 },
    });
    expect(stage.opened).toHaveLength(1);
    expect(stage.opened[0]).toMatchObject({ code: "unavailable", failures: 3 });
    const asked = () => stage.host.done.filter((done) => done.startsWith("prompt")).length;
    const next = stage.add("B");
    await stage.wake();
    await stage.clock.pass(20 * MINUTE_MS);
    expect([stage.row(next).state, asked()]).toEqual(["due", 3]);
    await stage.clock.pass(60 * MINUTE_MS);
    expect([stage.row(next).state, asked()]).toEqual(["failed", 4]);
    stage.host.answer = async () => word("<word>yes</word>");
    const elsewhere = stage.add("C", "ses_other" as SessionId);
    await stage.wake();
    await stage.clock.pass(MINUTE_MS + 10);
    expect([stage.row(elsewhere).state, stage.row(next).state]).toEqual(["settled", "failed"]);
    await stage.clock.pass(60 * MINUTE_MS);
    expect(stage.row(next).state).toBe("settled");
    expect(stage.opened).toHaveLength(1);
    expect(stage.closed.map(({ sessionId }) => String(sessionId))).toEqual(["ses_other", session]);
  });

  test("leaves the provider to the turns for a minute after a refusal, and longer where the host waits longer", async () => {
    const stage = openJobStage(workspace);
    stage.runner.pause(5 * MINUTE_MS);
    const id = stage.add("A");
    await stage.wake();
    await stage.clock.pass(5 * MINUTE_MS);
    expect(stage.row(id).state).toBe("due");
    await stage.clock.pass(MINUTE_MS + 10);
    expect(stage.row(id).state).toBe("settled");
  });

  test("I27: makes no call that a budget doesn't hold, and asks for no longer an answer than it does", async () => {
    const tight = { tokensPerDay: 300, tokensPerSession: 1_000 };
    const stage = openJobStage(workspace, { budgets: tight });
    stage.host.answer = never;
    const id = stage.add("A");
    await stage.wake();
    expect(stage.row(id)).toMatchObject({ inputTokens: 20, outputTokens: 280 });
    const tighter = { tokensPerDay: 1_000, tokensPerSession: 200 };
    const other = openJobStage(workspace, { budgets: tighter });
    const refused = other.add("A");
    await other.wake();
    expect(other.row(refused)).toMatchObject({ state: "failed", error: "over_budget" });
    expect(other.host.done).toEqual([]);
    // An answer of 256 tokens is the shortest that is worth a call.
    for (const [left, made] of [
      [275, 0],
      [276, 1],
    ] as const) {
      const budgets = { tokensPerDay: left, tokensPerSession: left };
      const least = openJobStage(workspace, { budgets });
      least.add("A");
      await least.wake();
      expect(least.host.done.filter((done) => done.startsWith("prompt"))).toHaveLength(made);
    }
  });

  test("I27: what a job's first call has used is not there for its second", async () => {
    const budgets = { tokensPerDay: 540, tokensPerSession: 540 };
    const stage = openJobStage(workspace, { budgets });
    const asked: number[] = [];
    stage.host.prompt = async (_, { maxOutputTokens }) => {
      asked.push(maxOutputTokens);
      return word(asked.length === 1 ? "Sure!" : "<word>yes</word>");
    };
    stage.add("A");
    await stage.wake();
    // A question takes 20 tokens, and the first answer took 5.
    expect(asked).toEqual([500, 540 - 25 - 20]);
  });

  test("after a provider's refusal of load the next job waits a minute, after another failure it does not", async () => {
    for (const [code, waits] of [
      ["rate_limited", true],
      ["unavailable", true],
      ["refused", false],
    ] as const) {
      const stage = openJobStage(workspace);
      stage.host.answer = async (prompt) =>
        prompt === "A" ? refusal(code) : word("<word>yes</word>");
      stage.add("A");
      const next = stage.add("B");
      await stage.wake();
      await stage.clock.pass(50_000);
      expect(stage.row(next).state).toBe(waits ? "due" : "settled");
      await stage.clock.pass(20_000);
      expect(stage.row(next).state).toBe("settled");
    }
  });

  test("I27: what was killed three times is given up", async () => {
    const stage = openJobStage(workspace);
    const id = stage.add("A");
    for (let time = 0; time < 3; time += 1) {
      const nowMs = stage.clock.now();
      const lease = { owner: "killed", nowMs, expiresAtMs: nowMs + 1 };
      expect(stage.database.jobs.take(id, lease, () => true)).not.toBeNull();
      stage.clock.nowMs += 2 * MINUTE_MS;
    }
    const next = stage.add("B");
    await stage.wake();
    await stage.clock.pass(10);
    expect(stage.row(id)).toMatchObject({ state: "given_up", attempts: 3 });
    expect(stage.row(next).state).toBe("settled");
  });

  test("one answer of 5 MB is read no further, and charged what was asked for at most", async () => {
    const budgets = { tokensPerDay: 1_000_000, tokensPerSession: 400_000 };
    const stage = openJobStage(workspace, { budgets });
    const huge = `<word>${"x".repeat(5_000_000)}</word>`;
    stage.host.answer = async () => ({
      ...{ kind: "text", text: huge, ending: "whole" },
      ...{ inputTokens: 9_000_000, outputTokens: 1_250_000 },
    });
    const id = stage.add("A");
    await stage.wake();
    expect(stage.row(id)).toMatchObject({
      ...{ state: "failed", error: "too_long", outputTokens: 500 },
      inputTokens: 1_024 + "Say a word.A".length,
    });
    stage.host.answer = async () => word("<word>yes</word>");
    const next = stage.add("B");
    await stage.wake();
    expect(stage.row(next).state).toBe("settled");
    const longest = `<word>${"x".repeat(500 * 16 - 6)}`;
    for (const [text, state] of [
      [longest, "settled"],
      [`${longest}x`, "failed"],
    ] as const) {
      stage.host.answer = async () => word(text);
      const one = stage.add(text.slice(-9));
      await stage.wake();
      expect(stage.row(one).state).toBe(state);
    }
  });

  test("a job in a circle is stopped after three calls, and what it says of itself is kept only as a code", async () => {
    const stage = openJobStage(workspace);
    stage.host.answer = async () => word("Sure!");
    const id = stage.add("A");
    await stage.wake();
    expect(stage.row(id)).toMatchObject({ error: "too_many_calls", inputTokens: 60 });
    expect(stage.host.there.size).toBe(0);
  });

  test("of a failure a code is stored, and nothing that a job says in words", async () => {
    const stage = openJobStage(workspace);
    for (const [said, stored] of [
      ["bad_answer_2", "bad_answer_2"],
      ["x".repeat(40), "x".repeat(40)],
      ["x".repeat(41), "unnamed"],
      ["it quotes: the session", "unnamed"],
      ["", "unnamed"],
    ] as const) {
      const id = stage.add(`fail: ${said}`);
      await stage.wake();
      expect(stage.row(id)).toMatchObject({ state: "failed", error: stored });
    }
  });

  test("I27: a lease is renewed while its job runs, and no longer", async () => {
    const stage = openJobStage(workspace);
    const renew = spyOn(stage.database.jobs, "renew");
    const slow = Promise.withResolvers<ReturnType<typeof word>>();
    stage.host.answer = () => slow.promise;
    const id = stage.add("slow");
    await stage.wake();
    await stage.clock.pass(35_000);
    slow.resolve(word("<word>yes</word>"));
    await stage.clock.pass(5 * MINUTE_MS);
    expect(stage.row(id).state).toBe("settled");
    expect(renew).toHaveBeenCalledTimes(3);
  });

  test("a lease that can't be renewed now is reported, and renewed later", async () => {
    const stage = openJobStage(workspace);
    const slow = Promise.withResolvers<ReturnType<typeof word>>();
    stage.host.answer = () => slow.promise;
    const id = stage.add("slow");
    await stage.wake();
    const renew = spyOn(stage.database.jobs, "renew").mockImplementationOnce(() => {
      throw new Error("locked");
    });
    await stage.clock.pass(25_000);
    expect([renew.mock.calls.length, stage.failures]).toEqual([2, ["jobs.lease: Error: locked"]]);
    slow.resolve(word("<word>yes</word>"));
    await stage.clock.pass(10);
    expect(stage.row(id).state).toBe("settled");
  });

  test("what happens while the database is being opened is not left for a minute", async () => {
    const opening = Promise.withResolvers<void>();
    const first = [opening.promise];
    const stage = openJobStage(workspace, { ensure: async () => first.pop() });
    const id = stage.add("A");
    await stage.wake();
    stage.runner.wake();
    opening.reject(new Error("locked"));
    await stage.clock.pass(10);
    expect(stage.row(id).state).toBe("settled");
  });

  test("a database that can't be opened is reported, and opened a minute later", async () => {
    const failing = [new Error("locked")];
    const ensure = async () => {
      const error = failing.pop();
      if (error) throw error;
    };
    const stage = openJobStage(workspace, { ensure });
    const id = stage.add("A");
    await stage.wake();
    expect([stage.row(id).state, stage.failures]).toEqual(["due", ["jobs: Error: locked"]]);
    await stage.clock.pass(MINUTE_MS);
    expect(stage.row(id).state).toBe("settled");
    expect(stage.failures).toHaveLength(1);
  });

  test("each outcome of a call has its code; one that throws is reported and fails as any other", async () => {
    const answering = (reply: Reply) => ({ answer: async () => reply });
    const outcomes: readonly (readonly [string, Partial<FakeJobHost>])[] = [
      ["no_model", { model: async () => null }],
      ["empty", answering(word(" \n"))],
      ["too_long", answering({ ...word("x"), ending: "cut" } as Reply)],
      ["rate_limited", answering(refusal("rate_limited"))],
      ["refused", answering(refusal("refused"))],
      ["host_failed", { answer: () => Promise.reject(new Error("gone")) }],
    ];
    for (const [code, host] of outcomes) {
      const stage = openJobStage(workspace, { host: Object.assign(new FakeJobHost(), host) });
      const id = stage.add("A");
      await stage.wake();
      expect(stage.row(id)).toMatchObject({ state: "failed", error: code });
      expect(stage.host.there.size).toBe(0);
      expect(stage.failures).toEqual(code === "host_failed" ? ["jobs.ask: Error: gone"] : []);
    }
    const stage = openJobStage(workspace);
    const id = stage.add("throw");
    await stage.wake();
    expect(stage.row(id)).toMatchObject({ state: "failed", error: "job_threw" });
    expect(stage.failures).toEqual(["job word: TypeError: no such thing"]);
  });
});

describe("I27: several processes", () => {
  function two() {
    const path = workspace.path();
    const host = new FakeJobHost();
    const first = openJobStage(workspace, { path, host, owner: "one" });
    const second = openJobStage(workspace, { path, host, owner: "two", clock: first.clock });
    return { first, second, host };
  }

  test("run a job once, whoever is woken first", async () => {
    const { first, second, host } = two();
    const id = first.add("A");
    first.runner.wake();
    second.runner.wake();
    await first.clock.pass(10);
    expect(first.row(id).attempts).toBe(1);
    expect(host.done.filter((one) => one === "prompt A")).toHaveLength(1);
  });

  test("leave a running job alone while its lease is renewed, and take it over when it is not", async () => {
    const { first, second, host } = two();
    host.answer = never;
    const id = first.add("slow");
    await first.wake();
    await second.wake();
    await first.clock.pass(3 * MINUTE_MS);
    expect(first.row(id)).toMatchObject({ owner: "one", attempts: 1 });
    // Killed: none of its timers runs any more.
    first.clock.stop();
    host.answer = async () => word("<word>two</word>");
    first.clock.nowMs += 2 * MINUTE_MS;
    await second.wake();
    await second.clock.pass(10);
    expect(second.row(id)).toMatchObject({
      ...{ owner: "two", attempts: 2, state: "settled" },
    });
    expect(second.database.proposals.waiting(session)).toMatchObject([
      { output: "<word>two</word>" },
    ]);
    // The child that was left is removed by its id before the next is opened.
    expect(host.done).toEqual([
      ...[`open for ${session}`, "prompt slow", "remove"],
      ...[`open for ${session}`, "prompt slow", "remove"],
    ]);
    expect(host.there.size).toBe(0);
  });

  test("remove what a kill has left without a note, and nothing that is in use", async () => {
    const { first, second, host } = two();
    host.answer = never;
    const id = first.add("A");
    first.add("B");
    await first.wake();
    host.there.set("ses_left" as SessionId, 77);
    await second.wake();
    expect([...host.there.keys()]).toEqual(["ses_child1" as SessionId]);
    expect(first.row(id).state).toBe("running");
  });

  test("whoever takes a job over looks for the session that its killed process had no time to note", async () => {
    const { first, second, host } = two();
    await second.wake();
    const open = host.open.bind(host);
    host.open = async (jobId, parent) => {
      await open(jobId, parent);
      return never();
    };
    const id = first.add("A");
    first.add("B");
    await first.wake();
    first.clock.stop();
    first.clock.nowMs += 2 * MINUTE_MS;
    expect(first.row(id).childSessionId).toBeNull();
    host.open = open;
    await second.wake();
    await second.clock.pass(10);
    expect(second.row(id)).toMatchObject({ owner: "two", attempts: 2, state: "settled" });
    expect(host.there.size).toBe(0);
  });

  test("the host is asked for left sessions once, not at each job", async () => {
    const { first, host } = two();
    for (const question of ["A", "B", "C"]) first.add(question);
    await first.wake();
    await first.clock.pass(10);
    expect(host.done.filter((one) => one.startsWith("prompt"))).toHaveLength(3);
    expect(host.listed).toBe(1);
  });

  test("a job that is stopped by hand is aborted at the next renewal, and settles nothing", async () => {
    const { first, host } = two();
    const slow = Promise.withResolvers<ReturnType<typeof word>>();
    host.answer = () => slow.promise;
    const id = first.add("A");
    await first.wake();
    first.database.jobs.stop(id);
    slow.resolve(word("<word>late</word>"));
    await first.clock.pass(10);
    expect(first.row(id)).toMatchObject({ state: "given_up", error: "stopped" });
    expect(first.database.proposals.waiting(session)).toEqual([]);
    expect(host.there.size).toBe(0);
  });
});

describe("I27: the boards of one project", () => {
  function two(more: { readonly of?: null } = {}) {
    const path = workspace.path();
    const host = new FakeJobHost();
    const here = openJobStage(workspace, { path, host, owner: "one", worker: "/tree/a", ...more });
    const { clock } = here;
    const there = openJobStage(workspace, { path, host, owner: "two", worker: "/tree/b", clock });
    return { here, there, host };
  }

  test("have one job running at a time, and each runs its own", async () => {
    const { here, there, host } = two();
    host.answer = never;
    const [first, second] = [here.add("slow"), there.add("B")];
    await here.wake();
    await there.wake();
    expect([here.row(first).owner, here.row(second).state]).toEqual(["one", "due"]);
    host.answer = async () => word("<word>two</word>");
    await here.runner.close();
    await there.clock.pass(MINUTE_MS);
    await there.clock.pass(10);
    expect(here.row(second)).toMatchObject({ owner: "two", state: "settled" });
    expect(here.row(first)).toMatchObject({ state: "due" });
  });

  test("share the budget of a day", async () => {
    const path = workspace.path();
    const budgets = { tokensPerDay: 300, tokensPerSession: 1_000_000 };
    const here = openJobStage(workspace, { path, worker: "/tree/a", budgets });
    const { clock } = here;
    const there = openJobStage(workspace, { path, worker: "/tree/b", budgets, clock });
    here.host.answer = async () => ({ ...word("<word>yes</word>"), outputTokens: 9_999 });
    here.add("A");
    await here.wake();
    const late = there.add("B");
    await there.wake();
    expect(there.row(late).state).toBe("due");
    expect(there.host.done).toEqual([]);
  });

  test("leave each other's sessions in the host alone", async () => {
    const { here, there, host } = two();
    host.answer = never;
    here.add("slow");
    await here.wake();
    await there.wake();
    expect(host.there.size).toBe(1);
    const elsewhere = openJobStage(workspace, {
      ...{ path: here.database.health().path, host, owner: "three", worker: "/other" },
      ...{ clock: here.clock, project: async () => "folder:/other" as ProjectId },
    });
    await elsewhere.wake();
    expect(host.listed).toBe(3);
    expect(host.there.size).toBe(1);
  });

  test("what was added before anybody knew whose it is is claimed at the next look, and again when that changes", async () => {
    let project = PROJECT;
    const stage = openJobStage(workspace, { of: null, project: async () => project });
    const id = stage.add("A");
    expect(
      stage.database.jobs.take(id, { owner: "x", nowMs: 0, expiresAtMs: 1 }, () => false),
    ).toBeNull();
    await stage.wake();
    expect(stage.row(id)).toMatchObject({ project: PROJECT, state: "settled" });
    project = "commit:c0ffee" as ProjectId;
    await stage.wake();
    expect(stage.row(id).project).toBe(project);
  });

  test("whose project can't be found out now wait a minute, and that is reported", async () => {
    let isAway = true;
    const project = async () => {
      if (isAway) throw new Error("git rev-parse gave no answer.");
      return PROJECT;
    };
    const stage = openJobStage(workspace, { project });
    const id = stage.add("A");
    await stage.wake();
    expect(stage.failures).toEqual(["jobs: Error: git rev-parse gave no answer."]);
    expect(stage.row(id).state).toBe("due");
    isAway = false;
    await stage.clock.pass(MINUTE_MS);
    await stage.clock.pass(10);
    expect(stage.row(id).state).toBe("settled");
  });
});

describe("the host's end", () => {
  test("stops the job, removes its session and leaves it due, with no attempt lost", async () => {
    const stage = openJobStage(workspace);
    stage.host.answer = never;
    const id = stage.add("A");
    await stage.wake();
    await stage.runner.close();
    await quiet();
    expect(stage.row(id)).toMatchObject({ state: "due", attempts: 0, childSessionId: null });
    expect(stage.host.there.size).toBe(0);
    stage.runner.wake();
    await stage.clock.pass(2 * MINUTE_MS);
    expect(stage.row(id).state).toBe("due");
    expect(stage.failures).toEqual([]);
  });

  test("stops a call whose session is only being opened", async () => {
    const stage = openJobStage(workspace);
    const opening = Promise.withResolvers<void>();
    const open = stage.host.open.bind(stage.host);
    stage.host.open = async (jobId, parent) => {
      await opening.promise;
      return open(jobId, parent);
    };
    stage.host.answer = never;
    const id = stage.add("slow");
    await stage.wake();
    const closed = stage.runner.close();
    opening.resolve();
    await closed;
    await quiet();
    expect(stage.row(id)).toMatchObject({ state: "due", attempts: 0 });
    expect(stage.host.there.size).toBe(0);
  });

  test("what fails after it is reported nowhere", async () => {
    const opening = Promise.withResolvers<void>();
    const stage = openJobStage(workspace, { ensure: () => opening.promise });
    stage.add("A");
    await stage.wake();
    await stage.runner.close();
    opening.reject(new Error("closed"));
    await quiet();
    expect(stage.failures).toEqual([]);
  });
});
