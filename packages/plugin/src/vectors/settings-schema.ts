// The schema of the section for vectors.
import * as z from "zod";

export const vectorsSchema = z
  .strictObject({
    url: z
      .union([z.literal(""), z.url({ protocol: /^https?$/ })])
      .default("")
      .describe(
        "Address of an endpoint like OpenAI's, up to its `/v1`: texts are sent there, without what looks like a secret. None: texts are found by their words alone.",
      ),
    model: z
      .string()
      .max(200)
      .default("")
      .describe("The endpoint's model; an answer by another one is refused."),
    apiKeyEnv: z
      .string()
      .regex(
        /^(?:[A-Za-z_][A-Za-z0-9_]*)?$/,
        'expected the name of a variable, like "OPENAI_API_KEY"',
      )
      .default("")
      .describe("Name of the variable in OpenCode's environment that holds the endpoint's key."),
    timeoutMs: z
      .int()
      .min(100)
      .max(600_000)
      .default(30_000)
      .describe(
        "How long a call in the background may take, in milliseconds. A look-up waits for two seconds at most.",
      ),
  })
  .describe("Finding texts by what they mean, through an endpoint for embeddings.");
