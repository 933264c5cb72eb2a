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
      "Models that are asked in turn where that one fails, or the one of an upkeep's task, as `provider/model`. The historian has its own chain where `historian.models` is set.",
    ),
  tokensPerDay: tokens.describe(
    "How many tokens the jobs of one project use within 24 hours, input and output together. 0: none.",
  ),
  tokensPerSession: tokens.describe(
    "How many of them the jobs of one session use within 24 hours.",
  ),
});
