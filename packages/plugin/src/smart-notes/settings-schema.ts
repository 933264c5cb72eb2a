// The schema of the section for smart notes.
import * as z from "zod";

export const smartNotesSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe("Whether the model is offered `ctx_remind`, and you `/ctx-remind`."),
    commands: z
      .array(z.string().min(1))
      .default([])
      .describe(
        "Command lines that a note may wait for, word by word; each runs in the background after a turn. Ignored in a project's file.",
      ),
    questions: z
      .boolean()
      .default(false)
      .describe("Whether a note may wait for a question that a background job asks a model."),
  })
  .describe("Notes that come up when a condition holds.");
