// Defines the stored input of the historian's jobs, and reads their state.
import * as z from "zod";
import type { JobToAdd } from "../../feature-api/feature-context.ts";
import type { Driver } from "../../storage/driver.ts";
import { type FoundJob, listFailureCodes } from "../../storage/job-records.ts";
import { createJobStore } from "../../storage/job-store.ts";
import type { SessionId } from "../../storage/records.ts";

/** The kind of the historian's jobs. */
export const HISTORIAN_JOB_KIND = "historian";

const sessionIdSchema = z.string().transform((id) => id as SessionId);
const generationSchema = z.int().min(0);

const batchSchema = z.object({
  purpose: z.literal("batch"),
  sessionId: sessionIdSchema,
  generation: generationSchema,
  /** The hash of the first message of the session's array. */
  root: z.string(),
  /** The index of the batch's first message in the session's array. */
  place: z.int().min(0),
  firstId: z.string(),
  lastId: z.string(),
  /** The digest of the batch: if the messages differ by now, there is nothing to write. */
  digest: z.string(),
});

/** Describes one batch of a session that is summarised again from its beginning; each batch adds the next. */
const resummarySchema = z.object({
  purpose: z.literal("recomp"),
  sessionId: sessionIdSchema,
  generation: generationSchema,
  /** The last message that this generation covers; null if there is none yet. */
  afterId: z.string().nullable(),
});

const workSchema = z.discriminatedUnion("purpose", [batchSchema, resummarySchema]);

export type BatchWork = z.infer<typeof batchSchema>;
export type ResummaryWork = z.infer<typeof resummarySchema>;
export type HistorianWork = z.infer<typeof workSchema>;

/** @throws if the stored input is not work of this version */
export function readWork(stored: unknown): HistorianWork {
  return workSchema.parse(stored);
}

/** Creates the job of a batch; the same messages of the same generation are one job. */
export function createBatchJob(input: BatchWork): JobToAdd {
  const { sessionId: session, generation: number, firstId, lastId, digest } = input;
  return {
    kind: HISTORIAN_JOB_KIND,
    sessionId: session,
    urgency: "waits",
    input,
    subject: toWorkSubject("batch", lastId),
    key: [session, number, firstId, lastId, digest].join(" "),
  };
}

export function createResummaryJob(input: ResummaryWork): JobToAdd {
  const { sessionId: session, generation: number, afterId } = input;
  return {
    kind: HISTORIAN_JOB_KIND,
    sessionId: session,
    urgency: "command",
    input,
    subject: toWorkSubject("recomp", String(number)),
    key: ["recomp", session, number, afterId ?? "start"].join(" "),
  };
}

/** Names a batch by its last message, and a run that summarises again by its generation. */
function toWorkSubject(purpose: HistorianWork["purpose"], name: string): string {
  return `${purpose} ${name}`;
}

/** Returns null if the subject has another purpose. */
function parseSubjectName(
  purpose: HistorianWork["purpose"],
  subject: string | null,
): string | null {
  const start = toWorkSubject(purpose, "");
  return subject?.startsWith(start) ? subject.slice(start.length) : null;
}

// Reads the state of a session's historian jobs.

interface HistorianJob extends Omit<FoundJob, "subject" | "createdAtMs"> {
  /** A batch is named by its last message, a resummary by its generation. */
  readonly name: string;
}

/** Lists the jobs of one purpose, oldest first. */
export function findPendingWork(
  driver: Driver,
  sessionId: SessionId,
  purpose: HistorianWork["purpose"],
): readonly HistorianJob[] {
  const jobs = createJobStore(driver).ofKind(HISTORIAN_JOB_KIND, sessionId);
  return jobs.flatMap(({ subject, ...job }) => {
    const name = parseSubjectName(purpose, subject);
    return name === null ? [] : [{ ...job, name }];
  });
}

/** After this many bad answers a session gets no more summaries: further calls would be wasted. */
export const MAX_BAD_ANSWERS = 2;

/** The code of a job whose answers were of no use. */
export const BAD_ANSWER_CODE = "bad_answer";

/**
 * Counts bad answers since the user last had the session summarised again. An answer that was repaired on request
 * doesn't count.
 */
export function countBadAnswers(driver: Driver, sessionId: SessionId): number {
  const jobs = createJobStore(driver).ofKind(HISTORIAN_JOB_KIND, sessionId);
  const parseGeneration = ({ subject }: (typeof jobs)[number]) =>
    parseSubjectName("recomp", subject);
  const newest = jobs.findLast((job) => parseGeneration(job) !== null);
  const from = newest
    ? jobs.findIndex((job) => parseGeneration(job) === parseGeneration(newest))
    : 0;
  return jobs.slice(from).reduce((sum, job) => sum + countJobBadAnswers(job), 0);
}

/** A first attempt that ended this way had two bad answers; a later attempt makes a single call. */
function countJobBadAnswers({ state, error }: Pick<FoundJob, "state" | "error">): number {
  const codes = listFailureCodes({ error });
  if (state !== "given_up" || codes.at(-1) !== BAD_ANSWER_CODE) return 0;
  return codes.length === 1 ? 2 : 1;
}
