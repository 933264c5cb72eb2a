// Passes facts on to the project's memory. It is a job of its own because git may be unable to name the project now.
import * as z from "zod";
import { type AnyJob, anyJob } from "../../feature-api/job.ts";
import type { JobToAdd } from "../../feature-api/job-queue.ts";
import { type Ref, readRef } from "../../ledger/ref.ts";
import type { SessionId } from "../../storage/records.ts";
import type { SourcedFact } from "../memory/promote.ts";
import { CATEGORIES } from "../memory/record.ts";
import type { MemoryPort } from "./memory-port.ts";

const FACTS = "historian-facts";

const stored = z.object({
  sessionId: z.string().transform((id) => id as SessionId),
  facts: z.array(
    z.object({
      category: z.enum(CATEGORIES),
      importance: z.int(),
      text: z.string(),
      // Facts without a recorded source may be anybody's words.
      source: z.enum(["prompt", "session", "tool"]).catch("tool"),
      segment: z
        .string()
        .transform((ref): Ref | null => readRef(ref, "h"))
        .nullable()
        .catch(null),
    }),
  ),
});

/** Creates a job that calls no model. If a killed process makes it run twice, its facts are stored once. */
export function factsJob(memory: MemoryPort | null): AnyJob {
  return anyJob({
    kind: FACTS,
    input: (input) => stored.parse(input),
    async run(_model, { facts, sessionId }) {
      await memory?.keep(facts, sessionId);
      return { kind: "done", output: null };
    },
    keep: () => undefined,
  });
}

/** Creates the job for the facts of a batch; `jobId` is the batch's job. */
export function createFactsJob(
  jobId: number,
  sessionId: SessionId,
  facts: readonly SourcedFact[],
): JobToAdd {
  return {
    kind: FACTS,
    sessionId,
    key: `job ${jobId}`,
    urgency: "waits",
    input: { sessionId, facts },
    subject: null,
  };
}
