// Implements /ctx-resummarize: starts, tracks and stops a new summary of a session from its beginning.
import type { ActionAnswer, OpenCommand } from "../../feature-api/command.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { renderInstalledCommand } from "../../log/notices.ts";
import { formatCount, renderCount } from "../../status/wording.ts";
import type { Driver } from "../../storage/driver.ts";
import type { FoundJob, JobPlace } from "../../storage/job-records.ts";
import { createJobStore } from "../../storage/job-store.ts";
import type { SessionId } from "../../storage/records.ts";
import { createSegmentStore } from "./segment-store.ts";
import { createResummaryJob, findPendingWork } from "./work.ts";

/** Describes the state of a session's newest run. */
interface Resummary {
  readonly sessionId: SessionId;
  readonly generation: number;
  readonly state: "running" | "done" | "stopped" | "failed";
  /** The number of segments that the run has written so far. */
  readonly segments: number;
  readonly messages: number;
  /** The job of the batch that is to be written next, or that failed. */
  readonly jobId: number;
}

/** Puts the progress in words. */
export function describeProgress({ state, segments, messages, jobId }: Resummary): string {
  const far = `${renderCount(segments, "segment")} of ${renderCount(messages, "message")}`;
  switch (state) {
    case "running":
      return `${far} so far (job ${formatCount(jobId)})`;
    case "done":
      return `done, ${far}`;
    case "stopped":
      return `stopped after ${far}`;
    case "failed":
      return `given up after ${far}: \`${renderInstalledCommand("jobs")}\` says why, \`${renderInstalledCommand(`jobs retry ${jobId}`)}\` continues it`;
  }
}

export function createResummaryStore(driver: Driver) {
  const findNewestResummary = (sessionId: SessionId) => readNewestResummary(driver, sessionId);
  return {
    /** Returns null if the session was never summarised again. */
    newest: findNewestResummary,
    /** @returns false if the session is already being summarised again */
    begin: (sessionId: SessionId, place: JobPlace, nowMs: number) =>
      driver.transaction(() => {
        const former = findNewestResummary(sessionId);
        if (former?.state === "running") return false;
        const written = createSegmentStore(driver).newestGeneration(sessionId);
        const generation = 1 + Math.max(former?.generation ?? 0, written);
        const work = createResummaryJob({
          purpose: "recomp",
          sessionId,
          generation,
          afterId: null,
        });
        return createJobStore(driver).add({ ...work, ...place }, nowMs) !== null;
      }),
    /** @returns false if there is nothing to stop */
    stop(sessionId: SessionId): boolean {
      const one = findNewestResummary(sessionId);
      return one?.state === "running" && createJobStore(driver).stop(one.jobId);
    },
    /** Returns true if the next batch is to be written and no process is writing it now. */
    waits: (sessionId: SessionId) =>
      ["due", "failed"].includes(String(findNewestJob(driver, sessionId)?.state)),
    /** Lists sessions that last worked in a folder, newest first. */
    sessionsIn: (directory: string) =>
      driver.all(SELECT_SESSIONS, directory).map(({ id }) => String(id) as SessionId),
  };
}

function findNewestJob(driver: Driver, sessionId: SessionId) {
  return findPendingWork(driver, sessionId, "recomp").at(-1) ?? null;
}

function readNewestResummary(driver: Driver, sessionId: SessionId): Resummary | null {
  const job = findNewestJob(driver, sessionId);
  if (!job) return null;
  const generation = Number(job.name);
  const written = createSegmentStore(driver).generation(sessionId, generation);
  return {
    sessionId,
    generation,
    jobId: job.id,
    state: toProgressState(job),
    segments: written.length,
    messages: written.reduce((sum, { messageCount }) => sum + messageCount, 0),
  };
}

/** Each batch adds the next one as it settles, so if the newest job is done, it was the last. */
function toProgressState({ state, error }: Pick<FoundJob, "state" | "error">): Resummary["state"] {
  switch (state) {
    case "due":
    case "running":
    case "failed":
      return "running";
    case "given_up":
      return error?.endsWith("stopped") ? "stopped" : "failed";
    default:
      return "done";
  }
}

const SELECT_SESSIONS = `
  SELECT id FROM session WHERE ? =
    (SELECT directory FROM epoch WHERE session_id = session.id ORDER BY seq DESC LIMIT 1)
  ORDER BY created_at_ms DESC, id`;

// Implements /ctx-resummarize: it has this session's history summarised again, reports progress, and stops it.

interface ResummarizeDeps extends Pick<FeatureContext, "database" | "jobs" | "now"> {
  /** Resolves to true if the session has anything to summarise; rejects if the host doesn't answer. */
  readonly hasWork: (sessionId: SessionId) => Promise<boolean>;
}

export function createResummarizeCommand(deps: ResummarizeDeps): OpenCommand {
  const { database, jobs, now, hasWork } = deps;
  const runAction = async (sessionId: SessionId, args: string): Promise<string> => {
    const store = database.current().store(createResummaryStore);
    switch (args.trim()) {
      case "stop":
        return store.stop(sessionId) ? STOPPED_ANSWER : NOT_RUNNING_ANSWER;
      case "": {
        const former = store.newest(sessionId);
        if (former?.state === "running")
          return `${RUNNING_HEAD} ${describeProgress(former)}. ${PROGRESS_HINT}`;
        if (!(await hasWork(sessionId))) return NOTHING_TO_SUMMARISE_ANSWER;
        store.begin(sessionId, jobs.place, now());
        jobs.wake();
        return `${STARTED_ANSWER} ${PROGRESS_HINT}`;
      }
      default:
        return "Type `/ctx-resummarize` alone, or with `stop`.";
    }
  };
  return {
    kind: "action",
    name: "ctx-resummarize",
    dialog: () => null,
    async act({ sessionId, args }): Promise<ActionAnswer> {
      await database.ensure();
      return { text: await runAction(sessionId, args), shownBy: "note" };
    },
  };
}

const NOTHING_TO_SUMMARISE_ANSWER =
  "There is nothing to summarise: all of this session is new enough to be sent verbatim.";
const STARTED_ANSWER =
  "A model summarises this session's older history again, batch by batch, in the background. Its words are used when the history is next rewritten.";
const PROGRESS_HINT = "`/ctx-resummarize` shows how far it is, `/ctx-resummarize stop` ends it.";
const RUNNING_HEAD = "This session's older history is being summarised again:";
const STOPPED_ANSWER = "Stopped. What was written so far is kept.";
const NOT_RUNNING_ANSWER =
  "There is nothing to stop: this session's history is not being summarised again.";
