// The schema of the section for time marks.
import * as z from "zod";

const MOST_MINUTES = 525_600;

export const timeMarksSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe("Whether the model gets a line when a prompt comes after a long pause."),
    afterMinutes: z
      .int()
      .min(1)
      .max(MOST_MINUTES)
      .default(60)
      .describe("How long the session has to have paused, in minutes."),
  })
  .describe("How much time has passed in a session.");
