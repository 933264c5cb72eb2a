import { describe, expect, test } from "bun:test";
import {
  computeBreaker as breakerOfSource,
  chooseNextStep,
  computeRetryAtMs,
  computeTokensLeft,
  DAY_MS,
  listPausedSources,
  type PlanInput,
} from "../../src/jobs/plan.ts";
import type { JobSummary } from "../../src/storage/job-records.ts";
import type { SessionId } from "../../src/storage/records.ts";

const NOW = 100 * DAY_MS;
const session = "ses_1" as SessionId;
const other = "ses_2" as SessionId;

function job(id: number, change: Partial<JobSummary> = {}): JobSummary {
  return {
    ...{
      id,
      kind: "word",
      board: "here",
      sessionId: session,
      urgency: "waits",
      state: "due",
      attempts: 0,
    },
    ...{ owner: null, expiresAtMs: null, dueAtMs: NOW - 10, error: null, startedAtMs: null },
    ...change,
  };
}

const HOUR_MS = 60 * 60_000;

const computeWordBreaker = (begun: readonly JobSummary[]) =>
  breakerOfSource(begun, { kind: "word", sessionId: session });

const running = {
  state: "running",
  owner: "one",
  attempts: 1,
  startedAtMs: NOW - 50,
  expiresAtMs: NOW + 50,
} as const;

interface Scene extends Partial<Omit<PlanInput, "jobs">> {
  readonly open?: readonly JobSummary[];
  readonly begun?: readonly JobSummary[];
  readonly spent?: readonly (readonly [SessionId | null, number])[];
}

function step({ open = [], begun = [], spent = [], ...rest }: Scene) {
  return chooseNextStep({
    jobs: { open, begun, spentTokens: new Map(spent) },
    nowMs: NOW,
    pausedUntilMs: 0,
    budgets: { tokensPerDay: 1_000, tokensPerSession: 400 },
    kinds: new Set(["word"]),
    isProcessDead: () => false,
    worker: "here",
    ...rest,
  });
}

describe("what to do next", () => {
  test("rests where there is nothing to do, or nothing that this process can do", () => {
    expect(step({})).toEqual({ kind: "rest" });
    expect(step({ open: [job(1, { kind: "unknown" })] })).toEqual({ kind: "rest" });
  });

  test("takes what the user asked for first, then the oldest", () => {
    const open = [job(2, { dueAtMs: NOW - 9 }), job(1, { dueAtMs: NOW - 5 })];
    expect(step({ open })).toEqual({ kind: "take", id: 2 });
    const asked = job(3, { urgency: "command", dueAtMs: NOW });
    expect(step({ open: [...open, asked] })).toEqual({ kind: "take", id: 3 });
    expect(step({ open: [job(5), job(4)] })).toEqual({ kind: "take", id: 4 });
  });

  test("I27: takes none while one runs, of whichever kind", () => {
    const wait = { kind: "wait", why: "running", untilMs: NOW + 50 } as const;
    expect(step({ open: [job(1), job(2, running)] })).toEqual(wait);
    expect(step({ open: [job(1), job(2, { ...running, kind: "unknown" })] })).toEqual(wait);
  });

  test("waits for the first that is due, command or not", () => {
    const open = [
      job(1, { state: "failed", dueAtMs: NOW + 90 }),
      job(2, { state: "failed", dueAtMs: NOW + 40 }),
    ];
    expect(step({ open })).toEqual({ kind: "wait", why: "not_due", untilMs: NOW + 40 });
    const asked = job(3, { urgency: "command", dueAtMs: NOW + 99 });
    expect(step({ open: [asked, job(4)] })).toEqual({ kind: "take", id: 4 });
  });

  test("I27: takes up at once what was killed first, later what was killed again, and then gives it up", () => {
    const killed = { ...running, expiresAtMs: NOW };
    expect(step({ open: [job(1, killed)] })).toEqual({ kind: "take", id: 1 });
    expect(step({ open: [job(1, running)], isProcessDead: () => true })).toEqual({
      kind: "take",
      id: 1,
    });
    const again = job(1, { ...killed, attempts: 2 });
    const untilMs = NOW - 50 + 60_000;
    expect(step({ open: [again] })).toEqual({ kind: "wait", why: "not_due", untilMs });
    const thrice = job(1, { ...killed, attempts: 3 });
    expect(step({ open: [thrice, job(2)] })).toEqual({ kind: "give_up", id: 1, attempts: 3 });
    // One that waits was not killed, however often it was begun.
    expect(step({ open: [job(1, { attempts: 3 })] })).toEqual({ kind: "take", id: 1 });
  });

  test("leaves the provider to the turns while it refuses calls", () => {
    const pausedUntilMs = NOW + 7;
    const scene = { open: [job(1)], pausedUntilMs };
    expect(step(scene)).toEqual({ kind: "wait", why: "paused", untilMs: pausedUntilMs });
    expect(step({ ...scene, nowMs: pausedUntilMs })).toEqual({ kind: "take", id: 1 });
  });

  test("I27: stays in the budget of the day, and passes over sessions that have used theirs", () => {
    const open = [job(1), job(2, { sessionId: other }), job(3, { sessionId: null })];
    expect(step({ open, spent: [[session, 399]] })).toEqual({ kind: "take", id: 1 });
    expect(step({ open, spent: [[session, 400]] })).toEqual({ kind: "take", id: 2 });
    const both = [
      [session, 400],
      [other, 400],
    ] as const;
    expect(step({ open, spent: both })).toEqual({ kind: "take", id: 3 });
    expect(step({ open: open.slice(0, 2), spent: both })).toEqual({ kind: "rest" });
    expect(step({ open, spent: [...both, [null, 200]] })).toEqual({
      ...{ kind: "wait", why: "day_budget", untilMs: NOW + 10 * 60_000 },
    });
  });

  test("what a job may use is what both budgets leave", () => {
    const budgets = { tokensPerDay: 1_000, tokensPerSession: 400 };
    const of = (sessionId: SessionId | null) => {
      const spentTokens = new Map<SessionId | null, number>([
        [session, 100],
        [other, 50],
        [null, 800],
      ]);
      return computeTokensLeft({ open: [], begun: [], spentTokens }, { sessionId }, budgets);
    };
    expect([of(session), of(null), of("ses_3" as SessionId)]).toEqual([50, 50, 50]);
    const roomy = { tokensPerDay: 9_000, tokensPerSession: 400 };
    const jobs = { open: [], begun: [], spentTokens: new Map([[session, 100]]) };
    expect(computeTokensLeft(jobs, { sessionId: session }, roomy)).toBe(300);
  });

  test("waits longer after each failure, and gives up after the third", () => {
    expect([1, 2, 3].map((attempts) => computeRetryAtMs({ attempts }, NOW))).toEqual([
      NOW + 60_000,
      NOW + 600_000,
      null,
    ]);
  });
});

describe("the breaker", () => {
  const at = (id: number, error: string | null, change: Partial<JobSummary> = {}) =>
    job(id, { state: "failed", startedAtMs: NOW - 100 * id, error, ...change });

  test("opens for an hour after three equal failures in a row, of one job or of several", () => {
    const scenes = [
      [at(1, "timeout,timeout,timeout", { state: "given_up" })],
      [at(1, "timeout"), at(2, "timeout"), at(3, "timeout")],
      [at(1, "timeout,timeout"), at(2, "refused,timeout")],
    ];
    for (const begun of scenes) {
      const untilMs = NOW - 100 + HOUR_MS;
      expect(computeWordBreaker(begun)).toEqual({
        code: "timeout",
        failures: 3,
        openUntilMs: untilMs,
      });
      const open = { open: [job(9)], begun };
      expect(step(open)).toEqual({ kind: "wait", why: "breaker", untilMs });
      expect(step({ ...open, nowMs: untilMs })).toEqual({ kind: "take", id: 9 });
    }
  });

  test("opens after five failures in a row, whatever each of them was", () => {
    const begun = [at(1, "timeout"), at(2, "bad_answer"), at(3, "unavailable,timeout")];
    expect(computeWordBreaker(begun).openUntilMs).toBe(0);
    const fifth = [...begun, at(4, "bad_answer")];
    const untilMs = NOW - 100 + HOUR_MS;
    const code = "timeout, bad_answer, unavailable";
    expect(computeWordBreaker(fifth)).toEqual({ code, failures: 5, openUntilMs: untilMs });
    expect(step({ open: [job(9)], begun: fifth })).toMatchObject({ kind: "wait", why: "breaker" });
    expect(computeWordBreaker([at(0, null, { state: "settled" }), ...fifth]).openUntilMs).toBe(0);
  });

  test("stays closed where few failures differ, or a job has come to its end since", () => {
    for (const begun of [
      [],
      [at(1, "timeout,timeout")],
      [at(1, "timeout"), at(2, "refused"), at(3, "timeout,timeout")],
      [at(1, null, { state: "settled" }), at(2, "timeout,timeout,timeout")],
      [at(1, "timeout,timeout"), at(2, "timeout", { state: "settled" }), at(3, "timeout")],
    ]) {
      expect(computeWordBreaker(begun).openUntilMs).toBe(0);
      expect(step({ open: [job(9)], begun })).toEqual({ kind: "take", id: 9 });
    }
  });

  test("passes over what says nothing about a provider", () => {
    const begun = [
      at(1, "killed"),
      at(2, "timeout,stopped,timeout"),
      at(3, "no_model,over_budget"),
      at(4, "timeout"),
    ];
    expect(computeWordBreaker(begun)).toMatchObject({ code: "timeout", failures: 3 });
    expect(computeWordBreaker([at(1, "killed,killed,killed")]).openUntilMs).toBe(0);
  });

  test("the retry of a job that runs again counts what it did before", () => {
    const begun = [at(1, "timeout,timeout", { ...running }), at(2, "timeout")];
    expect(computeWordBreaker(begun).failures).toBe(3);
  });

  test("I27: belongs to its source: another session's jobs and another kind's go on", () => {
    const begun = [at(1, "timeout,timeout,timeout")];
    const kinds = new Set(["word", "other"]);
    const open = [job(8), job(9, { sessionId: other })];
    expect(step({ open, begun, kinds })).toEqual({ kind: "take", id: 9 });
    expect(step({ open: [job(8), job(9, { kind: "other" })], begun, kinds })).toEqual({
      ...{ kind: "take", id: 9 },
    });
    expect(step({ open: [job(8), job(9, { sessionId: null })], begun, kinds })).toEqual({
      ...{ kind: "take", id: 9 },
    });
    // Their failures don't add up, and a good end of one closes no other's.
    const mixed = [
      at(1, null, { state: "settled", sessionId: other }),
      at(2, "timeout,timeout"),
      at(3, "timeout", { kind: "other" }),
    ];
    expect(computeWordBreaker(mixed)).toMatchObject({ failures: 2, openUntilMs: 0 });
    expect(computeWordBreaker([...mixed, at(4, "timeout")])).toMatchObject({ failures: 3 });
  });

  test("lets one attempt through after an hour, stays open as long again if it fails, and closes if not", () => {
    const begun = [at(1, "timeout,timeout,timeout")];
    const laterMs = NOW - 100 + HOUR_MS;
    expect(step({ open: [job(9)], begun, nowMs: laterMs - 1 })).toMatchObject({ why: "breaker" });
    expect(step({ open: [job(9)], begun, nowMs: laterMs })).toEqual({ kind: "take", id: 9 });
    const tried = job(9, { state: "failed", error: "timeout", startedAtMs: laterMs });
    const again = { open: [{ ...tried, dueAtMs: laterMs + 60_000 }], begun: [tried, ...begun] };
    const untilMs = laterMs + HOUR_MS;
    expect(step({ ...again, nowMs: laterMs + 60_000 })).toEqual({
      ...{ kind: "wait", why: "breaker", untilMs },
    });
    expect(step({ ...again, nowMs: untilMs })).toEqual({ kind: "take", id: 9 });
    const good = [{ ...tried, state: "settled", error: null } as const, ...begun];
    expect(step({ open: [job(10)], begun: good, nowMs: laterMs })).toEqual({
      kind: "take",
      id: 10,
    });
  });

  test("waits for whichever comes first: an open breaker's hour, or a job that is due later", () => {
    const begun = [at(1, "timeout,timeout,timeout")];
    const later = job(9, { sessionId: other, state: "failed", dueAtMs: NOW + 40 });
    expect(step({ open: [job(8), later], begun })).toEqual({
      ...{ kind: "wait", why: "breaker", untilMs: NOW + 40 },
    });
  });

  test("the sources that rest are listed once each, the one that failed last first", () => {
    const begun = [
      at(1, "timeout,timeout,timeout", { sessionId: other }),
      at(2, "refused,refused"),
      at(3, "refused"),
      at(4, "timeout"),
      at(5, "timeout,timeout,timeout", { kind: "other", sessionId: null }),
    ];
    const rests = { failures: 3, openUntilMs: NOW - 100 + HOUR_MS };
    expect(listPausedSources(begun, NOW)).toEqual([
      { kind: "word", sessionId: other, code: "timeout", ...rests },
      {
        kind: "word",
        sessionId: session,
        code: "refused",
        ...rests,
        openUntilMs: NOW - 200 + HOUR_MS,
      },
      {
        kind: "other",
        sessionId: null,
        code: "timeout",
        ...rests,
        openUntilMs: NOW - 500 + HOUR_MS,
      },
    ]);
    expect(listPausedSources(begun, NOW - 100 + HOUR_MS)).toEqual([]);
  });
});
