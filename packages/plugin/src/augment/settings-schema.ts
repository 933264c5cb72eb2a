// The schema of the section for `/ctx-aug`.
import * as z from "zod";

export const augmentSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether there is `/ctx-aug`, which sends a prompt together with what earlier work says about it; needs `recall.enabled`.",
      ),
  })
  .describe("Prompts enriched by what recall finds.");
