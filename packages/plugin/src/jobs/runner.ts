// Runs the jobs of a queue, one per project at a time: checks, takes, runs, settles, checks again.
// Folder: Jobs: model calls of ours beside the turns, decided purely, run by one thin driver.
import type { AnyJob, JobEnd } from "../feature-api/job.ts";
import type { Driver } from "../storage/driver.ts";
import type { JobRecord, TakenJob } from "../storage/job-records.ts";
import type { JobStore } from "../storage/job-store.ts";
import type { ProjectId, SessionId } from "../storage/records.ts";
import { ChildPort, type ChildPortDeps, waitAtMost } from "./child-port.ts";
import {
  type Breaker,
  chooseNextStep,
  computeBreaker,
  computeRetryAtMs,
  computeTokensLeft,
  DAY_MS,
  type JobBudgets,
  type JobSource,
} from "./plan.ts";

/** The time that a lease lasts without being renewed; that of a process that has ended is taken over at once. */
const LEASE_MS = 60_000;
const LEASE_RENEWAL_MS = 10_000;

/** No wait is longer than this, since another process may have changed something. */
const MAX_WAIT_MS = 60_000;

/** After the provider refuses a call, jobs wait this much longer than its retry time, so that turns call first. */
const PAUSE_MS = 60_000;

/** The time that the host's shutdown waits for a job to stop. */
const SHUTDOWN_TIMEOUT_MS = 2_000;

/** Matches a failure code that may be stored. */
const FAILURE_CODE_PATTERN = /^[a-z0-9_]{1,40}$/;

interface JobRunnerDeps extends Pick<ChildPortDeps, "host" | "failed" | "worked" | "timer"> {
  /** Opens the database. @throws StorageError */
  readonly ensure: () => Promise<void>;
  /** @throws StorageError while the database isn't open. */
  readonly store: () => JobStore;
  /** Lists, at each check, the kinds of job that this process may run. */
  readonly kinds: () => readonly AnyJob[];
  readonly worker: string;
  /** Finds the project; rejects if that is not possible now. */
  readonly project: () => Promise<ProjectId>;
  readonly owner: string;
  readonly isProcessDead: (owner: string) => boolean;
  readonly budgets: JobBudgets;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** Is called when a job of the session has settled, as its output may be a proposal. */
  readonly settled: (sessionId: SessionId) => void;
  /** Is called when the breaker of a job's source has opened, but not for each attempt that fails then. */
  readonly opened: (job: JobSource, breaker: Breaker) => void;
  /** Is called when a job of the source has succeeded, which closes its breaker. */
  readonly closed: (job: JobSource) => void;
  readonly traced: (job: JobRecord, run: () => Promise<string>) => Promise<void>;
}

type FailedEnd = Exclude<JobEnd<unknown>, { readonly kind: "done" }>;

/** An attempt in progress. */
interface RunningAttempt {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Runs jobs in the background; only the host's shutdown waits for it. */
export class JobRunner {
  #state: "resting" | "looking" | "closed" = "resting";
  /** True if something has happened since the present check began. */
  #woken = false;
  #callOff: () => void = () => undefined;
  #pausedUntilMs = 0;
  #swept = false;
  #underway: RunningAttempt | null = null;

  constructor(private readonly deps: JobRunnerDeps) {}

  /** Checks soon, as something may be due. Returns at once. */
  wake(): void {
    if (this.#state === "closed" || this.deps.kinds().length === 0) return;
    if (this.#state === "looking") {
      this.#woken = true;
      return;
    }
    this.#scheduleCheck(0);
  }

  /** Pauses after the provider has refused a call and is to be asked again in `retryMs`. */
  pause(retryMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.deps.now() + retryMs + PAUSE_MS);
  }

  /** Stops what runs; another process, or the next start, takes it up. */
  async close(): Promise<void> {
    this.#state = "closed";
    this.#callOff();
    const underway = this.#underway;
    if (!underway) return;
    underway.controller.abort();
    await waitAtMost(SHUTDOWN_TIMEOUT_MS, underway.done, this.deps.timer);
  }

  #scheduleCheck(delayMs: number): void {
    this.#callOff();
    this.#callOff = this.deps.timer(() => void this.#checkSafely(), delayMs);
  }

  async #checkSafely(): Promise<void> {
    this.#state = "looking";
    let nextMs: number | null = null;
    try {
      await this.deps.ensure();
      nextMs = await this.#checkJobs();
      this.deps.worked("jobs");
    } catch (error) {
      if (!this.#isClosed()) this.deps.failed("jobs", error);
      nextMs = MAX_WAIT_MS;
    }
    if (this.#isClosed()) return;
    this.#state = "resting";
    const delayMs = this.#woken ? 0 : nextMs;
    this.#woken = false;
    if (delayMs !== null) this.#scheduleCheck(delayMs);
  }

  #isClosed(): boolean {
    return this.#state === "closed";
  }

  /** Checks for work and returns the time until the next check; null for no check until something happens. */
  async #checkJobs(): Promise<number | null> {
    const { store, worker, now, budgets, kinds, isProcessDead } = this.deps;
    const project = await this.deps.project();
    store().claim(worker, project);
    await this.#clean();
    if (this.#isClosed()) return null;
    const nowMs = now();
    const jobs = store().now(project, nowMs - DAY_MS);
    const known = new Set(kinds().map(({ kind }) => kind));
    const step = chooseNextStep({
      jobs,
      nowMs,
      budgets,
      isProcessDead,
      worker,
      kinds: known,
      pausedUntilMs: this.#pausedUntilMs,
    });
    switch (step.kind) {
      case "rest":
        return null;
      case "wait":
        return Math.min(Math.max(step.untilMs - nowMs, 0), MAX_WAIT_MS);
      case "give_up":
        store().giveUpKilled(step.id, step.attempts);
        return 0;
      case "take": {
        const { owner } = this.deps;
        const lease = { owner, nowMs, expiresAtMs: nowMs + LEASE_MS };
        const job = store().take(step.id, lease, isProcessDead);
        if (!job) return 0;
        // A killed process may have left sessions that it had no time to record, so these are searched for
        // after this attempt.
        if (jobs.open.some(({ id, state }) => id === job.id && state === "running")) {
          this.#swept = false;
        }
        await this.#attempt(job, computeTokensLeft(jobs, job, budgets));
        return 0;
      }
    }
  }

  /** Removes what killed processes have left in the host; the first check also finds what they did not note. */
  async #clean(): Promise<void> {
    const { store, worker, now, host, isProcessDead } = this.deps;
    for (const { id, childSessionId } of store().leftChildren(worker, now(), isProcessDead)) {
      await host.remove(childSessionId);
      store().forgetChild(id, childSessionId);
    }
    if (this.#swept) return;
    const children = await host.children();
    // The host also lists the sessions of its other folders.
    for (const { childId, jobId } of children) {
      if (!store().isRun(jobId, now(), isProcessDead)) await host.remove(childId);
    }
    this.#swept = true;
  }

  async #attempt(job: TakenJob, tokensLeft: number): Promise<void> {
    const controller = new AbortController();
    const callOff = this.#startRenewing(job, controller);
    const done = this.deps.traced(job, () => this.#run(job, tokensLeft, controller.signal));
    this.#underway = { controller, done };
    try {
      await done;
    } finally {
      callOff();
      this.#underway = null;
    }
  }

  async #run(job: TakenJob, tokensLeft: number, signal: AbortSignal): Promise<string> {
    const { store, host, timer, failed, worked, owner, settled, now } = this.deps;
    const port = new ChildPort({
      host,
      timer,
      failed,
      worked,
      job,
      tokensLeft,
      signal,
      opened: (childId, charge) => store().callsIn(job.id, owner, childId, charge),
      closed: (childId) => store().forgetChild(job.id, childId),
    });
    const end = await this.#runJob(job, port);
    const { model, balance } = port;
    if (end.kind === "done") {
      const settling = { nowMs: now(), write: end.output };
      if (!store().settle(job.id, owner, { model, ...balance }, settling)) return "lost";
      this.deps.closed(job);
      if (job.sessionId !== null) settled(job.sessionId);
      return "settled";
    }
    if (signal.aborted) {
      store().release(job.id, owner, balance);
      return "stopped";
    }
    this.#recordFailure(job, port, {
      ...end,
      code: FAILURE_CODE_PATTERN.test(end.code) ? end.code : "unnamed",
    });
    return end.code;
  }

  /** Runs the job and returns the function that stores its output. */
  async #runJob(job: JobRecord, port: ChildPort): Promise<JobEnd<(driver: Driver) => void>> {
    const kind = this.deps.kinds().find((one) => one.kind === job.kind);
    if (!kind) return { kind: "failed", code: "unknown_kind" };
    try {
      const end = await kind.run(port, job.input, job.attempts);
      this.deps.worked(`job ${job.kind}`);
      if (end.kind !== "done") return end;
      const { model } = port;
      return {
        kind: "done",
        output: (driver) => kind.keep(driver, end.output, { ...job, model }),
      };
    } catch (error) {
      this.deps.failed(`job ${job.kind}`, error);
      return { kind: "failed", code: "job_threw" };
    }
  }

  #recordFailure(
    job: TakenJob,
    { model, balance }: ChildPort,
    { kind, code: error }: FailedEnd,
  ): void {
    const { store, owner, now, opened } = this.deps;
    const nowMs = now();
    const before = this.#findBreaker(job, nowMs);
    const againAtMs = kind === "given_up" ? null : computeRetryAtMs(job, nowMs);
    const failure = { error, model, retryAtMs: againAtMs, ...balance };
    // The job was deleted with its session, or another process owns it: its outcome says nothing about the
    // provider.
    if (!store().fail(job.id, owner, failure)) return;
    if (error === "rate_limited" || error === "unavailable") this.pause(0);
    const breaker = this.#findBreaker(job, nowMs);
    if (before.openUntilMs === 0 && breaker.openUntilMs > 0) opened(job, breaker);
  }

  #findBreaker(job: TakenJob, nowMs: number): Breaker {
    return computeBreaker(this.deps.store().now(job.project, nowMs - DAY_MS).begun, job);
  }

  /**
   * Renews the lease, and stops the attempt if the lease is lost: taken over, stopped by hand, or deleted
   * with its session.
   */
  #startRenewing(job: JobRecord, controller: AbortController): () => void {
    const { store, owner, now, timer, failed, worked } = this.deps;
    const renew = () => {
      try {
        const nowMs = now();
        const lease = { owner, nowMs, expiresAtMs: nowMs + LEASE_MS };
        if (!store().renew(job.id, lease)) controller.abort();
        worked("jobs.lease");
      } catch (error) {
        failed("jobs.lease", error);
      }
      callOff = timer(renew, LEASE_RENEWAL_MS);
    };
    let callOff = timer(renew, LEASE_RENEWAL_MS);
    return () => callOff();
  }
}
