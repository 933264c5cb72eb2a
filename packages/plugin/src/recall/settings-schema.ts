// The schema of recall's section.
import * as z from "zod";

export const recallSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Whether sessions are indexed, in a file beside the database, and the model is offered `ctx_search`, `ctx_expand` and `ctx_reduce`.",
      ),
  })
  .describe("Finding again what a session has said and seen.");
