// The historian's jobs of a session, as they stand.
import type { Driver } from "../../storage/driver.ts";
import { type FoundJob, failureCodes } from "../../storage/job-records.ts";
import { jobStore } from "../../storage/job-store.ts";
import type { SessionId } from "../../storage/records.ts";
import { HISTORIAN, type HistorianWork, subjectName } from "./work.ts";

interface FoundWork extends Omit<FoundJob, "subject" | "createdAtMs"> {
  /** Of a batch its last message, of a recomp its generation. */
  readonly name: string;
}

/** Of one purpose, oldest first. */
export function foundWork(
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

/** So many of a session end its summaries: its calls would be for nothing. */
export const MAX_BAD_ANSWERS = 2;

/** The code of a job whose answers were of no use. */
export const BAD_ANSWER = "bad_answer";

/**
 * Answers of no use since the user has last had the session written again. One that was mended when it was
 * sent back is of use.
 */
export function badAnswers(driver: Driver, sessionId: SessionId): number {
  const jobs = jobStore(driver).ofKind(HISTORIAN, sessionId);
  const parseGeneration = ({ subject }: (typeof jobs)[number]) => subjectName("recomp", subject);
  const newest = jobs.findLast((job) => parseGeneration(job) !== null);
  const from = newest
    ? jobs.findIndex((job) => parseGeneration(job) === parseGeneration(newest))
    : 0;
  return jobs.slice(from).reduce((sum, job) => sum + countBadAnswers(job), 0);
}

/** Of a first attempt, both its answers were; a later one makes a single call. */
function countBadAnswers({ state, error }: Pick<FoundJob, "state" | "error">): number {
  const codes = failureCodes({ error });
  if (state !== "given_up" || codes.at(-1) !== BAD_ANSWER) return 0;
  return codes.length === 1 ? 2 : 1;
}
