// Builds the job runner of one plugin instance.
import type { Room } from "../features/feature.ts";
import { isGone, newOwner } from "../inbox/owner.ts";
import { JobSessions } from "../jobs/job-sessions.ts";
import type { Breaker } from "../jobs/plan.ts";
import { JobRunner } from "../jobs/runner.ts";
import type { Notices } from "../log/notices.ts";
import type { SessionRuntime } from "../session/runtime.ts";
import { attribute } from "../traces/span.ts";
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
    opened: (breaker) => tellBreaker(notices, breaker),
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

function tellBreaker(notices: Notices, { code, failures, openUntilMs }: Breaker): void {
  notices.notice({
    code: `jobs_breaker:${openUntilMs}`,
    severity: "warning",
    message: `Background jobs have failed ${failures} times in a row (${code}); no more are started for a day. Sessions run as before.`,
    remedy: "On the command line, `jobs` says why, and `jobs retry` starts one again.",
  });
}
