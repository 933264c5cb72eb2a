// Hands facts on to the project's memory. A job of its own: git says which project that is, and may not now.
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
      // Where it is not said, they may be anybody's words.
      source: z.enum(["prompt", "session", "tool"]).catch("tool"),
      segment: z
        .string()
        .transform((ref): Ref | null => readRef(ref, "h"))
        .nullable()
        .catch(null),
    }),
  ),
});

/** It calls no model. What is done twice, as its process was killed, is stored once. */
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

/** Of the batch's job, whose facts they are. */
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
