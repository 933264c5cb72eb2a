// The schema of the historian's section.
import * as z from "zod";

const model = z.string().regex(/^[^\s/]+\/\S+$/, 'expected "provider/model"');

export const historianSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Whether a model writes summaries of older history in the background. Where one is folded before its summary is there, extracts stand in its place.",
      ),
    models: z
      .array(model)
      .max(8)
      .default([])
      .describe(
        "Models that write it, as `provider/model`: where one fails the next is asked. None: the model of `jobs`, or OpenCode's small model.",
      ),
    batchTokens: z
      .int()
      .min(1_000)
      .max(200_000)
      .default(12_000)
      .describe(
        "How much older history without a summary is given to the model at once, in tokens.",
      ),
    timeoutMs: z
      .int()
      .min(1_000)
      .max(900_000)
      .default(120_000)
      .describe("After how many milliseconds a call of the model is stopped."),
  })
  .describe("Summaries of older history, written by a model in the background.");
