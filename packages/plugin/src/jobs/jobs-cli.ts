// Implements `session-runtime jobs`, which lists a project's jobs, and retries or stops one.
import type { CliAnswer, CliCall, CliCommandCode } from "../feature-api/command.ts";
import { NotFoundError, UserFacingError } from "../feature-api/user-facing-error.ts";
import { findProject } from "../project/find-project.ts";
import { createProjectStore } from "../project/store.ts";
import { formatAgo, formatCount, renderCount } from "../status/wording.ts";
import { type JobRecord, listFailureCodes } from "../storage/job-records.ts";
import { createJobStore } from "../storage/job-store.ts";
import { describePause, describeState } from "./jobs-section.ts";
import { DAY_MS, listPausedSources } from "./plan.ts";

const MAX_LISTED = 20;

export const jobsCli: CliCommandCode = {
  details: [
    "Jobs are model calls in the background. The list has the number, kind and state of each, its",
    "attempts, model and tokens, and why attempts failed. A kind of job that keeps failing in",
    "a session is tried once an hour; the list says so.",
  ],
  args: {
    do: { type: "positional", required: false, description: "`retry` or `stop` (default: list)" },
    id: { type: "positional", required: false, description: "The number of a job" },
  },
  examples: [
    { line: "session-runtime jobs", does: "lists the newest jobs of this project" },
    { line: "session-runtime jobs retry 12", does: "makes job 12 due again, with three attempts" },
  ],
  access: "writes",
  run(call) {
    const action = call.given.get("do");
    if (action === undefined) return listJobs(call);
    const id = Number(call.given.get("id") ?? Number.NaN);
    if (!Number.isSafeInteger(id)) throw new UserFacingError("Give the number of a job.");
    switch (action) {
      case "retry":
        return createJobStore(call.driver).retry(id, call.nowMs)
          ? createChangedAnswer(id, "is due again; it starts after the next turn.")
          : refuseUnchanged(id, "failed or waits");
      case "stop":
        return createJobStore(call.driver).stop(id)
          ? createChangedAnswer(id, "is stopped.")
          : refuseUnchanged(id, "waits or runs");
      default:
        throw new UserFacingError("Use `retry` or `stop`, or nothing for a list.");
    }
  },
};

function createChangedAnswer(id: number, what: string): CliAnswer {
  return { text: `Job ${id} ${what}`, values: { id, changed: "yes" } };
}

/** Makes the command fail, so that a script notices that nothing was changed. */
function refuseUnchanged(id: number, what: string): never {
  throw new NotFoundError(`There is no job ${id} that ${what}.`);
}

async function listJobs({ driver, directory, nowMs }: CliCall): Promise<CliAnswer> {
  const store = createJobStore(driver);
  const { id } = await findProject(directory, createProjectStore(driver));
  store.claim(directory, id);
  const jobs = store.list(id, MAX_LISTED);
  const { begun } = store.now(id, nowMs - DAY_MS);
  const paused = listPausedSources(begun, nowMs);
  const values = { jobs: jobs.map(toJobJson), paused: paused.map((one) => ({ ...one })) };
  if (jobs.length === 0) return { text: `No jobs in ${directory}.`, values };
  const lines = [
    ...jobs.map((job) => formatJob(job, nowMs)),
    ...paused.map((one) => describePause(one, nowMs)),
  ];
  return { text: lines.join("\n"), values };
}

/** Converts a job to JSON without its input, which quotes the session. */
function toJobJson(job: JobRecord) {
  const { id, kind, sessionId, state, attempts, model, inputTokens, outputTokens } = job;
  const { createdAtMs, startedAtMs, settledAtMs, dueAtMs } = job;
  return {
    id,
    kind,
    sessionId,
    state,
    attempts,
    model,
    inputTokens,
    outputTokens,
    createdAtMs,
    startedAtMs,
    settledAtMs,
    dueAtMs,
    failures: listFailureCodes(job),
  };
}

function formatJob(job: JobRecord, nowMs: number): string {
  const { id, kind, state, attempts, model, inputTokens, outputTokens, createdAtMs } = job;
  const codes = listFailureCodes(job);
  const parts = [
    `${id}  ${kind}, ${describeState(state)}`,
    formatAgo(createdAtMs, nowMs),
    ...(attempts > 0 ? [renderCount(attempts, "attempt")] : []),
    ...(model === null
      ? []
      : [`${model}: ${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out`]),
    ...(codes.length > 0 ? [`failed: ${codes.join(", ")}`] : []),
  ];
  return parts.join("; ");
}
