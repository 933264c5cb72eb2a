// The schema of the section for nudges.
import * as z from "zod";

export const nudgesSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether the model gets a line, at most one per 30 calls, when `ctx_reduce` could let much old output go; needs `recall.enabled` and `history.rewrite`.",
      ),
  })
  .describe("A reminder that old output can be let go.");
