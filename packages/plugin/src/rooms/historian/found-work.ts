// The historian's jobs of a session, as they stand.
import type { Driver } from "../../storage/driver.ts";
import type { FoundJob } from "../../storage/job-records.ts";
import { jobStore } from "../../storage/job-store.ts";
import type { SessionId } from "../../storage/records.ts";
import { HISTORIAN, subjectName, type Work } from "./work.ts";

interface FoundWork extends Omit<FoundJob, "subject" | "createdAtMs"> {
  /** Of a batch its last message, of a recomp its generation. */
  readonly name: string;
}

/** Of one purpose, oldest first. */
export function foundWork(
  driver: Driver,
  sessionId: SessionId,
  purpose: Work["purpose"],
): readonly FoundWork[] {
  const jobs = jobStore(driver).ofKind(HISTORIAN, sessionId);
  return jobs.flatMap(({ subject, ...job }) => {
    const name = subjectName(purpose, subject);
    return name === null ? [] : [{ ...job, name }];
  });
}
