// The schema of the section for commits.
import * as z from "zod";

const MOST_COMMITS = 10_000_000;

export const commitsSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Whether `ctx_search` looks through the commits of HEAD, where `recall.enabled` is set.",
      ),
    most: z
      .int()
      .min(1)
      .max(MOST_COMMITS)
      .default(100_000)
      .describe("A history of more commits than this is not indexed; a notice says so."),
  })
  .describe("Finding what was committed.");
