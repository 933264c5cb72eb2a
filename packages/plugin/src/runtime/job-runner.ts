// The job runner of one plugin instance, over its host's way to call a model.
import type { FeatureInstance } from "../feature-api/feature.ts";
import { attributeNames } from "../feature-api/span.ts";
import { createOwnerId, isProcessDead } from "../features/inbox/process-id.ts";
import type { JobHost } from "../jobs/child-port.ts";
import { type Breaker, DAY_MS, type JobSource } from "../jobs/plan.ts";
import { JobRunner } from "../jobs/runner.ts";
import { type Notices, renderInstalledCommand } from "../log/notices.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { Services } from "./services.ts";

// Notifies the user of jobs that fail repeatedly, until one of them succeeds.

/** Warns of open breakers for each kind of job, until all of them have closed. */
export class OpenBreakers {
  readonly #reported = new Map<string, { readonly codes: Set<string>; readonly of: Set<string> }>();

  constructor(private readonly notices: Pick<Notices, "notice" | "over">) {}

  /**
   * Reports each kind of job once a day: if a provider is down, every session's notice would say the same.
   */
  recordOpened(
    { kind, sessionId }: JobSource,
    { code: why, failures, openUntilMs }: Breaker,
  ): void {
    const code = `jobs_breaker:${kind}:${Math.floor(openUntilMs / DAY_MS)}`;
    const { codes, of } = this.#reported.get(kind) ?? { codes: new Set(), of: new Set() };
    this.#reported.set(kind, { codes: codes.add(code), of: of.add(sessionId ?? "") });
    this.notices.notice({
      code,
      severity: "warning",
      ends: "by over",
      message: `Background jobs of the kind "${kind}" have failed ${failures} times in a row (${why}); the next is tried in an hour. Other jobs and your sessions run as before.`,
      remedy: `\`${renderInstalledCommand("jobs")}\` says why, and \`${renderInstalledCommand("jobs retry")}\` starts one again.`,
    });
  }

  /**
   * Ends the warning about a kind of job once all of its breakers have closed, because one may outlast
   * another.
   */
  recordClosed({ kind, sessionId }: JobSource): void {
    const reported = this.#reported.get(kind);
    if (!reported?.of.delete(sessionId ?? "") || reported.of.size > 0) return;
    this.#reported.delete(kind);
    for (const code of reported.codes) this.notices.over(code);
  }
}

interface RunnerParts {
  readonly runtime: SessionRuntime;
  /** The open features, read at each check. */
  readonly featureInstances: readonly FeatureInstance[];
  readonly host: JobHost;
}

export function createJobRunner(
  base: Services,
  { runtime, featureInstances, host }: RunnerParts,
): JobRunner {
  const { database, traces, notices, failures, now, config, edge, project } = base;
  const breakers = new OpenBreakers(notices);
  return new JobRunner({
    ensure: () => database.ensure(),
    store: () => database.current().jobs,
    host,
    kinds: () => featureInstances.flatMap((feature) => feature.jobs ?? []),
    worker: edge.place.worker,
    project: () => project.id(),
    owner: createOwnerId(),
    isProcessDead,
    budgets: config.jobs,
    now,
    settled: (sessionId) => runtime.reloadProposals(sessionId),
    opened: (job, breaker) => breakers.recordOpened(job, breaker),
    closed: (job) => breakers.recordClosed(job),
    failed: (where, error) => failures.failed(where, error),
    worked: (where) => failures.worked(where),
    traced: ({ kind, sessionId }, run) =>
      traces.traceJob({ name: "background", sessionId }, async (note) =>
        note({ [attributeNames.jobKind]: kind, [attributeNames.jobOutcome]: await run() }),
      ),
    timer: (work, delayMs) => {
      const timer = setTimeout(work, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  });
}
