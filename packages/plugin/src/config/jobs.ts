// Schema of the `jobs` section.
import * as z from "zod";

const tokens = z.int().min(0).max(1_000_000_000);

/** Validates the section `jobs`. */
export const jobsSchema = z.strictObject({
  model: z
    .string()
    .regex(/^[^\s/]+\/\S+$/, 'expected "provider/model"')
    .nullable()
    .describe(
      "The model that background jobs call, as `provider/model`. null: OpenCode's small model. Without either, no job calls a model.",
    ),
  fallbacks: z
    .array(z.string().regex(/^[^\s/]+\/\S+$/, 'expected "provider/model"'))
    .max(8)
    .describe(
      "Models to try in turn when that model, or the one of an upkeep task, fails, as `provider/model`. If `historian.models` is set, the historian uses that list instead.",
    ),
  tokensPerDay: tokens.describe(
    "How many tokens the jobs of one project may use within 24 hours, input and output together. 0: none.",
  ),
  tokensPerSession: tokens.describe(
    "How many tokens the jobs of one session may use within 24 hours.",
  ),
});
