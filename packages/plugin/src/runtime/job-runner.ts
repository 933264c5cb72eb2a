// The job runner of one plugin instance, over its host's way to call a model.

import type { FeatureInstance } from "../feature-api/feature.ts";
import { attribute } from "../feature-api/span.ts";
import { currentProcessId, isProcessDead } from "../features/inbox/process-id.ts";
import type { JobHost } from "../jobs/job-host.ts";
import { JobRunner } from "../jobs/runner.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import { OpenBreakers } from "./open-breakers.ts";
import type { Services } from "./services.ts";

interface RunnerParts {
  readonly runtime: SessionRuntime;
  /** The open features, read at each check. */
  readonly featureInstances: readonly FeatureInstance[];
  readonly host: JobHost;
}

export function jobRunner(
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
    owner: currentProcessId(),
    isProcessDead,
    budgets: config.jobs,
    now,
    settled: (sessionId) => runtime.reloadProposals(sessionId),
    opened: (job, breaker) => breakers.opened(job, breaker),
    closed: (job) => breakers.closed(job),
    failed: (where, error) => failures.failed(where, error),
    worked: (where) => failures.worked(where),
    traced: ({ kind, sessionId }, run) =>
      traces.job({ name: "background", sessionId }, async (note) =>
        note({ [attribute.jobKind]: kind, [attribute.jobOutcome]: await run() }),
      ),
    timer: (work, delayMs) => {
      const timer = setTimeout(work, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  });
}
