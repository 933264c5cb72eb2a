// What a historian's job is to do, as it is stored.
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
  /** Of the first message of the session's array. */
  root: z.string(),
  /** The index of the batch's first message in that array. */
  place: z.int().min(0),
  firstId: z.string(),
  lastId: z.string(),
  /** Of the batch: where the messages read differently by now, there is nothing to write. */
  digest: z.string(),
});

/** One batch of a session that is written again from its beginning; each adds the next. */
const resummary = z.object({
  purpose: z.literal("recomp"),
  sessionId,
  generation,
  /** The last message that this generation says; null: none yet. */
  afterId: z.string().nullable(),
});

const work = z.discriminatedUnion("purpose", [batch, resummary]);

export type BatchWork = z.infer<typeof batch>;
export type ResummaryWork = z.infer<typeof resummary>;
export type HistorianWork = z.infer<typeof work>;

/** @throws where what is stored is not work of this version. */
export function readWork(stored: unknown): HistorianWork {
  return work.parse(stored);
}

/** The same messages of the same generation are one job. */
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

/** A batch is found by its last message, what is written again by its generation. */
function workSubject(purpose: HistorianWork["purpose"], name: string): string {
  return `${purpose} ${name}`;
}

/** Null: it is about something else. */
export function subjectName(
  purpose: HistorianWork["purpose"],
  subject: string | null,
): string | null {
  const start = workSubject(purpose, "");
  return subject?.startsWith(start) ? subject.slice(start.length) : null;
}
