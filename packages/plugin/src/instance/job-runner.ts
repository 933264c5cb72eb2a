// The job runner of one plugin instance, over whatever its host lets a model be asked by.

import type { Room } from "../features/feature.ts";
import { attribute } from "../features/span.ts";
import type { JobHost } from "../jobs/job-host.ts";
import { type Breaker, DAY_MS } from "../jobs/plan.ts";
import { JobRunner } from "../jobs/runner.ts";
import { asInstalled } from "../log/command-line.ts";
import type { Notices } from "../log/notices.ts";
import { isGone, newOwner } from "../rooms/inbox/owner.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { Base } from "./base.ts";

interface RunnerParts {
  readonly runtime: SessionRuntime;
  /** Read at each look. */
  readonly rooms: readonly Room[];
  readonly host: JobHost;
}

export function jobRunner(base: Base, { runtime, rooms, host }: RunnerParts): JobRunner {
  const { database, traces, notices, failures, now, config, edge, project } = base;
  return new JobRunner({
    ensure: () => database.ensure(),
    store: () => database.current().jobs,
    host,
    kinds: () => rooms.flatMap((room) => room.jobs ?? []),
    board: edge.place.board,
    project: () => project.id(),
    owner: newOwner(),
    isGone,
    budgets: config.jobs,
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
    remedy: `\`${asInstalled("jobs")}\` says why, and \`${asInstalled("jobs retry")}\` starts one again.`,
  });
}
