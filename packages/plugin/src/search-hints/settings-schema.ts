// The schema of the section for search hints.
import * as z from "zod";

export const searchHintsSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether a prompt is followed by a line where earlier work says something about it that is not in the context; needs `recall.enabled`.",
      ),
  })
  .describe("What earlier work says about a prompt.");
