// The schema of the section for the user's profile.
import * as z from "zod";

export const profileSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether you allow that the model notes how you like to work, with `ctx_profile`, and is given these notes in all your projects. Ignored in a project's file.",
      ),
    budgetTokens: z
      .int()
      .min(50)
      .max(5_000)
      .default(300)
      .describe("How much of these notes each session begins with, in tokens; the newest ones."),
  })
  .describe("How you like to work, by your consent; on this machine only.");
