// Builds the job runner of one plugin instance.
import type { Room } from "../features/feature.ts";
import { attribute } from "../features/span.ts";
import { isGone, newOwner } from "../inbox/owner.ts";
import { JobSessions } from "../jobs/job-sessions.ts";
import { type Breaker, DAY_MS } from "../jobs/plan.ts";
import { JobRunner } from "../jobs/runner.ts";
import type { Notices } from "../log/notices.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import type { ComposedHouse } from "./compose-house.ts";
import { jobHost } from "./job-host.ts";
import { JobModel } from "./job-model.ts";

interface JobParts {
  readonly runtime: SessionRuntime;
  readonly rooms: readonly Room[];
}

export interface ComposedJobs {
  readonly jobRunner: JobRunner;
  readonly jobSessions: JobSessions;
  readonly jobModel: JobModel;
  readonly stopChild: (childId: string) => Promise<void>;
}

export function composeJobs(house: ComposedHouse, { runtime, rooms }: JobParts): ComposedJobs {
  const { database, traces, notices, failures, now, hostConfig } = house;
  const { client, directory } = house.input;
  const { jobs: config } = house.config;
  const jobSessions = new JobSessions();
  const jobModel = new JobModel({ client, hostConfig, configured: config.model });
  const kinds = rooms.flatMap(({ jobs = [] }) => jobs);
  const jobRunner = new JobRunner({
    ensure: () => database.ensure(),
    store: () => database.current().jobs,
    host: jobHost(client, jobSessions, jobModel),
    kinds: new Map(kinds.map((job) => [job.kind, job])),
    project: directory,
    owner: newOwner(),
    isGone,
    budgets: config,
    now,
    settled: (sessionId) => runtime.takeUpProposals(sessionId),
    opened: ({ kind }, breaker) => tellBreaker(notices, kind, breaker),
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
  const stopChild = async (childId: string) => {
    await client.session.abort({ path: { id: childId } });
  };
  house.jobs.watch(() => jobRunner.wake());
  house.jobs.watchProposals((sessionId) => runtime.takeUpProposals(sessionId));
  return { jobRunner, jobSessions, jobModel, stopChild };
}

/** Once a day for each kind of job: where a provider is down, each session's would say the same. */
function tellBreaker(
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
