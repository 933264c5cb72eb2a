// The job runner of one plugin instance, over whatever its host lets a model be asked by.
import type { Room } from "../features/feature.ts";
import { attribute } from "../features/span.ts";
import type { JobHost } from "../jobs/job-host.ts";
import { type Breaker, DAY_MS } from "../jobs/plan.ts";
import { JobRunner } from "../jobs/runner.ts";
import type { Notices } from "../log/notices.ts";
import { isGone, newOwner } from "../rooms/inbox/owner.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { ComposedHouse } from "./compose-house.ts";

interface RunnerParts {
  readonly runtime: SessionRuntime;
  readonly rooms: readonly Room[];
  readonly host: JobHost;
}

export function jobRunner(house: ComposedHouse, { runtime, rooms, host }: RunnerParts): JobRunner {
  const { database, traces, notices, failures, now, jobs, edge } = house;
  const kinds = rooms.flatMap((room) => room.jobs ?? []);
  const runner = new JobRunner({
    ensure: () => database.ensure(),
    store: () => database.current().jobs,
    host,
    kinds: new Map(kinds.map((job) => [job.kind, job])),
    project: edge.place.jobs,
    owner: newOwner(),
    isGone,
    budgets: house.config.jobs,
    now,
    settled: (sessionId) => runtime.takeUpProposals(sessionId),
    opened: ({ kind }, breaker) => reportBreaker(notices, kind, breaker),
    failed: (where, error) => failures.failed(where, error),
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
  jobs.watch(() => runner.wake());
  jobs.watchProposals((sessionId) => runtime.takeUpProposals(sessionId));
  return runner;
}
/** Once a day for each kind of job: where a provider is down, each session's would say the same. */
function reportBreaker(
  notices: Notices,
  kind: string,
  { code, failures, openUntilMs }: Breaker,
): void {
  notices.notice({
    code: `jobs_breaker:${kind}:${Math.floor(openUntilMs / DAY_MS)}`,
    severity: "warning",
    message: `Background jobs of the kind "${kind}" have failed ${failures} times in a row (${code}); the next is tried in an hour. Other jobs and your sessions run as before.`,
    remedy: "On the command line, `jobs` says why, and `jobs retry` starts one again.",
  });
}
