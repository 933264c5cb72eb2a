// The schema of memory's section.
import * as z from "zod";

const LEAST_TOKENS = 100;
const MOST_TOKENS = 50_000;

export const memorySchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether the model is given the project's memories and open notes, and offered `ctx_memory` and `ctx_note`.",
      ),
    budgetTokens: z
      .int()
      .min(LEAST_TOKENS)
      .max(MOST_TOKENS)
      .default(1_200)
      .describe(
        "How much of the project's memories each session begins with, in tokens; the most important ones.",
      ),
  })
  .describe("What was learnt of a project, in every later session of it.");
