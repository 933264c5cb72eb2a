// Defines the stored input of the historian's jobs.
import * as z from "zod";
import type { JobToAdd } from "../../feature-api/job-queue.ts";
import type { SessionId } from "../../storage/records.ts";

/** The kind of its jobs. */
export const HISTORIAN = "historian";

const sessionId = z.string().transform((id) => id as SessionId);
const generation = z.int().min(0);

const batch = z.object({
  purpose: z.literal("batch"),
  sessionId,
  generation,
  /** Hash of the first message of the session's array. */
  root: z.string(),
  /** The index of the batch's first message in that array. */
  place: z.int().min(0),
  firstId: z.string(),
  lastId: z.string(),
  /** Digest of the batch: if the messages differ by now, there is nothing to write. */
  digest: z.string(),
});

/** Describes one batch of a session that is summarised again from its beginning; each batch adds the next. */
const resummary = z.object({
  purpose: z.literal("recomp"),
  sessionId,
  generation,
  /** The last message that this generation covers; null if there is none yet. */
  afterId: z.string().nullable(),
});

const work = z.discriminatedUnion("purpose", [batch, resummary]);

export type BatchWork = z.infer<typeof batch>;
export type ResummaryWork = z.infer<typeof resummary>;
export type HistorianWork = z.infer<typeof work>;

/** @throws if the stored input is not work of this version */
export function readWork(stored: unknown): HistorianWork {
  return work.parse(stored);
}

/** Creates the job of a batch; the same messages of the same generation are one job. */
export function batchJob(input: BatchWork): JobToAdd {
  const { sessionId: session, generation: number, firstId, lastId, digest } = input;
  return {
    kind: HISTORIAN,
    sessionId: session,
    urgency: "waits",
    input,
    subject: workSubject("batch", lastId),
    key: [session, number, firstId, lastId, digest].join(" "),
  };
}

export function resummaryJob(input: ResummaryWork): JobToAdd {
  const { sessionId: session, generation: number, afterId } = input;
  return {
    kind: HISTORIAN,
    sessionId: session,
    urgency: "command",
    input,
    subject: workSubject("recomp", String(number)),
    key: ["recomp", session, number, afterId ?? "start"].join(" "),
  };
}

/** Names a batch by its last message, and a run that summarises again by its generation. */
function workSubject(purpose: HistorianWork["purpose"], name: string): string {
  return `${purpose} ${name}`;
}

/** Returns null if the subject has another purpose. */
export function subjectName(
  purpose: HistorianWork["purpose"],
  subject: string | null,
): string | null {
  const start = workSubject(purpose, "");
  return subject?.startsWith(start) ? subject.slice(start.length) : null;
}
