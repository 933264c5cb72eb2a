// Reads the state of a session's historian jobs.
import type { Driver } from "../../storage/driver.ts";
import { type FoundJob, failureCodes } from "../../storage/job-records.ts";
import { jobStore } from "../../storage/job-store.ts";
import type { SessionId } from "../../storage/records.ts";
import { HISTORIAN, type HistorianWork, subjectName } from "./work.ts";

interface FoundWork extends Omit<FoundJob, "subject" | "createdAtMs"> {
  /** A batch is named by its last message, a resummary by its generation. */
  readonly name: string;
}

/** Lists the jobs of one purpose, oldest first. */
export function findPendingWork(
  driver: Driver,
  sessionId: SessionId,
  purpose: HistorianWork["purpose"],
): readonly FoundWork[] {
  const jobs = jobStore(driver).ofKind(HISTORIAN, sessionId);
  return jobs.flatMap(({ subject, ...job }) => {
    const name = subjectName(purpose, subject);
    return name === null ? [] : [{ ...job, name }];
  });
}

/** After this many bad answers a session gets no more summaries: further calls would be wasted. */
export const MAX_BAD_ANSWERS = 2;

/** The code of a job whose answers were of no use. */
export const BAD_ANSWER = "bad_answer";

/**
 * Counts bad answers since the user last had the session summarised again. An answer that was repaired on request
 * doesn't count.
 */
export function countBadAnswers(driver: Driver, sessionId: SessionId): number {
  const jobs = jobStore(driver).ofKind(HISTORIAN, sessionId);
  const parseGeneration = ({ subject }: (typeof jobs)[number]) => subjectName("recomp", subject);
  const newest = jobs.findLast((job) => parseGeneration(job) !== null);
  const from = newest
    ? jobs.findIndex((job) => parseGeneration(job) === parseGeneration(newest))
    : 0;
  return jobs.slice(from).reduce((sum, job) => sum + countJobBadAnswers(job), 0);
}

/** A first attempt that ended this way had two bad answers; a later attempt makes a single call. */
function countJobBadAnswers({ state, error }: Pick<FoundJob, "state" | "error">): number {
  const codes = failureCodes({ error });
  if (state !== "given_up" || codes.at(-1) !== BAD_ANSWER) return 0;
  return codes.length === 1 ? 2 : 1;
}
