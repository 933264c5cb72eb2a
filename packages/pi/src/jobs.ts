// The job runner of one session on Pi.
import { JobBoard } from "../../plugin/src/features/job-board.ts";
import type { OpenRoom } from "../../plugin/src/features/open-rooms.ts";
import type { ComposedHouse } from "../../plugin/src/hooks/compose-house.ts";
import { isGone, newOwner } from "../../plugin/src/inbox/owner.ts";
import type { JobHost } from "../../plugin/src/jobs/job-host.ts";
import { JobRunner } from "../../plugin/src/jobs/runner.ts";
import type { SessionRuntime } from "../../plugin/src/session/runtime.ts";

/** A runner of OpenCode's can ask nothing beside a session of Pi's, so each host has jobs of its own. */
const projectOf = (directory: string) => `pi:${directory}`;

export function jobBoard({ database, location, now }: ComposedHouse): JobBoard {
  return new JobBoard({
    store: () => database.current().jobs,
    project: projectOf(location.directory),
    now,
  });
}

interface RunnerParts {
  readonly runtime: SessionRuntime;
  readonly rooms: readonly OpenRoom[];
  readonly host: JobHost;
}

export function jobRunner(house: ComposedHouse, { runtime, rooms, host }: RunnerParts): JobRunner {
  const { database, failures, notices, now, location, jobs } = house;
  const kinds = rooms.flatMap(({ jobs: own = [] }) => own);
  const runner = new JobRunner({
    ensure: () => database.ensure(),
    store: () => database.current().jobs,
    host,
    kinds: new Map(kinds.map((job) => [job.kind, job])),
    project: projectOf(location.directory),
    owner: newOwner(),
    isGone,
    budgets: house.config.jobs,
    now,
    settled: (sessionId) => runtime.takeUpProposals(sessionId),
    opened: ({ kind }, { code, failures: count }) =>
      notices.notice({
        code: `jobs_breaker:${kind}`,
        severity: "warning",
        message: `Background jobs of the kind "${kind}" have failed ${count} times in a row (${code}); the next is tried in an hour.`,
        remedy: "Set `jobs.model` in session-runtime.jsonc to a model that you have access to.",
      }),
    failed: (where, error) => failures.failed(where, error),
    traced: async (_job, run) => void (await run()),
    timer: (work, delayMs) => {
      const timer = setTimeout(work, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  });
  jobs.watch(() => runner.wake());
  return runner;
}
