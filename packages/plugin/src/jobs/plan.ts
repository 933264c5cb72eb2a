// Decides from a project's jobs and the time what to do next.
import {
  isRunningJob,
  type JobSummary,
  listFailureCodes,
  type ProjectJobs,
} from "../storage/job-records.ts";

const MAX_ATTEMPTS = 3;

export const DAY_MS = 24 * 60 * 60_000;

/** The waits after the first and the second failed attempt. */
const RETRY_DELAYS_MS: readonly number[] = [60_000, 10 * 60_000];

/** The waits from the start of the first and the second attempt that was killed. */
const KILLED_RETRY_DELAYS_MS: readonly number[] = [0, 60_000];

/** The failures in a row that open a source's breaker: of one code, or of any. */
const BREAKER_FAILURE_LIMITS = { equal: 3, any: 5 } as const;

/** After this time an open breaker lets one attempt through; if that fails too, it stays open as long again. */
const BREAKER_OPEN_MS = 60 * 60_000;

/** A budget of the last 24 hours frees up gradually, so it is checked again after this time. */
const BUDGET_CHECK_MS = 10 * 60_000;

/** The codes that are not the provider's fault and say nothing about the next call. */
const HARMLESS_CODES: ReadonlySet<string> = new Set([
  "killed",
  "stopped",
  "no_model",
  "over_budget",
]);

export interface JobBudgets {
  readonly tokensPerDay: number;
  readonly tokensPerSession: number;
}

export interface PlanInput {
  readonly jobs: ProjectJobs;
  readonly nowMs: number;
  /** The time until which the provider is left to the turns, as it has just refused a call. */
  readonly pausedUntilMs: number;
  readonly budgets: JobBudgets;
  /** The kinds that this process can run. */
  readonly kinds: ReadonlySet<string>;
  readonly isProcessDead: (owner: string) => boolean;
  /** The worker whose jobs this process may take; the project's other jobs run elsewhere. */
  readonly worker: string;
}

type WaitReason = "running" | "not_due" | "paused" | "breaker" | "day_budget";

type PlanStep =
  | { readonly kind: "take"; readonly id: number }
  | { readonly kind: "give_up"; readonly id: number; readonly attempts: number }
  | { readonly kind: "wait"; readonly why: WaitReason; readonly untilMs: number }
  /** There is nothing to do until a job is added, or a budget has capacity again. */
  | { readonly kind: "rest" };

/** Decides on one step. Whoever acts on it takes the job in a transaction that checks the decision again. */
export function chooseNextStep(input: PlanInput): PlanStep {
  const { jobs, nowMs, pausedUntilMs, budgets, kinds, isProcessDead, worker } = input;
  const running = jobs.open.find((job) => isRunningJob(job, nowMs, isProcessDead));
  if (running) return createWaitStep("running", running.expiresAtMs ?? nowMs);
  const known = jobs.open.filter((job) => job.board === worker && kinds.has(job.kind));
  const tired = known.find(
    ({ state, attempts }) => state === "running" && attempts >= MAX_ATTEMPTS,
  );
  if (tired) return { kind: "give_up", id: tired.id, attempts: tired.attempts };
  const open = known
    .filter((job) => computeSessionTokensLeft(jobs, job, budgets) > 0)
    .sort(compareRank);
  if (open.length === 0) return { kind: "rest" };
  const due = open.filter((job) => computeDueAtMs(job) <= nowMs);
  if (due.length === 0) return createWaitStep("not_due", Math.min(...open.map(computeDueAtMs)));
  if (pausedUntilMs > nowMs) return createWaitStep("paused", pausedUntilMs);
  const computeReadyAtMs = (job: JobSummary) =>
    Math.max(computeDueAtMs(job), computeBreaker(jobs.begun, job).openUntilMs);
  const ready = due.find((job) => computeReadyAtMs(job) <= nowMs);
  if (!ready) return createWaitStep("breaker", Math.min(...open.map(computeReadyAtMs)));
  if (sumSpentTokens(jobs) >= budgets.tokensPerDay)
    return createWaitStep("day_budget", nowMs + BUDGET_CHECK_MS);
  return { kind: "take", id: ready.id };
}

/** Puts jobs that the user requested first, then the oldest. */
function compareRank(a: JobSummary, b: JobSummary): number {
  const asked = Number(b.urgency === "command") - Number(a.urgency === "command");
  return asked || a.dueAtMs - b.dueAtMs || a.id - b.id;
}

/** Returns when a job is due. A killed job is still `running`, under a lease that has expired. */
function computeDueAtMs({ state, dueAtMs, startedAtMs, attempts }: JobSummary): number {
  if (state !== "running") return dueAtMs;
  return (startedAtMs ?? dueAtMs) + (KILLED_RETRY_DELAYS_MS[attempts - 1] ?? 0);
}

function createWaitStep(why: WaitReason, untilMs: number): PlanStep {
  return { kind: "wait", why, untilMs };
}

function sumSpentTokens({ spentTokens: spent }: ProjectJobs): number {
  return [...spent.values()].reduce((sum, tokens) => sum + tokens, 0);
}

type SessionKey = Pick<JobSummary, "sessionId">;

function computeSessionTokensLeft(
  jobs: ProjectJobs,
  { sessionId }: SessionKey,
  budgets: JobBudgets,
): number {
  if (sessionId === null) return Number.POSITIVE_INFINITY;
  return budgets.tokensPerSession - (jobs.spentTokens.get(sessionId) ?? 0);
}

/** Returns the tokens that a job's next calls may use, by both budgets. */
export function computeTokensLeft(jobs: ProjectJobs, job: SessionKey, budgets: JobBudgets): number {
  return Math.min(
    budgets.tokensPerDay - sumSpentTokens(jobs),
    computeSessionTokensLeft(jobs, job, budgets),
  );
}

/** Returns when a failed attempt is made again; null for never. */
export function computeRetryAtMs(
  { attempts }: Pick<JobSummary, "attempts">,
  nowMs: number,
): number | null {
  const waitMs = RETRY_DELAYS_MS[attempts - 1];
  return waitMs === undefined ? null : nowMs + waitMs;
}

/** Identifies jobs whose failures count together: one kind of work, in one session or in none. */
export type JobSource = Pick<JobSummary, "kind" | "sessionId">;

export interface Breaker {
  /** The codes of the failures that count, each once; null if the newest job that ended did not fail. */
  readonly code: string | null;
  readonly failures: number;
  /** The time until which the breaker is open; 0 if it has not opened. */
  readonly openUntilMs: number;
}

/** Computes a source's breaker from the most recently begun jobs, newest first. */
export function computeBreaker(begun: readonly JobSummary[], source: JobSource): Breaker {
  const ended = listNewestFailures(begun.filter((job) => isFromSource(source, job)));
  const first = ended[0];
  if (first === undefined) return { code: null, failures: 0, openUntilMs: 0 };
  const other = ended.findIndex(({ code }) => code !== first.code);
  const equal = other < 0 ? ended.length : other;
  const openUntilMs = first.atMs + BREAKER_OPEN_MS;
  if (equal >= BREAKER_FAILURE_LIMITS.equal)
    return { code: first.code, failures: equal, openUntilMs };
  if (ended.length >= BREAKER_FAILURE_LIMITS.any) {
    const codes = new Set(ended.map(({ code }) => code));
    return { code: [...codes].join(", "), failures: ended.length, openUntilMs };
  }
  return { code: first.code, failures: equal, openUntilMs: 0 };
}

export interface PausedSource extends JobSource, Breaker {}

/** Lists the sources whose breakers are open, those that failed last first. */
export function listPausedSources(
  begun: readonly JobSummary[],
  nowMs: number,
): readonly PausedSource[] {
  return begun.flatMap((job, place) => {
    const isFirst = begun.findIndex((one) => isFromSource(one, job)) === place;
    const breaker = computeBreaker(begun, job);
    if (!isFirst || breaker.openUntilMs <= nowMs) return [];
    return [{ kind: job.kind, sessionId: job.sessionId, ...breaker }];
  });
}

function isFromSource(source: JobSource, { kind, sessionId }: JobSource): boolean {
  return kind === source.kind && sessionId === source.sessionId;
}

/** Lists the failures since the newest job that was completed, newest first. */
function listNewestFailures(begun: readonly JobSummary[]) {
  const done = begun.findIndex(({ state }) => state === "settled");
  return begun.slice(0, done < 0 ? begun.length : done).flatMap((job) =>
    listFailureCodes(job)
      .filter((code) => !HARMLESS_CODES.has(code))
      .reverse()
      .map((code) => ({ code, atMs: job.startedAtMs ?? 0 })),
  );
}
