// The stored form of a reminder's condition.
import * as z from "zod";

export const conditionSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("date"), atMs: z.int() }),
  /** `was`: what the file was like as the reminder was written; null: it was not there. */
  z.object({ kind: z.literal("file"), path: z.string(), was: z.string().nullable() }),
  z.object({ kind: z.literal("command"), line: z.string() }),
  z.object({ kind: z.literal("question"), question: z.string() }),
]);

export type Condition = z.infer<typeof conditionSchema>;
