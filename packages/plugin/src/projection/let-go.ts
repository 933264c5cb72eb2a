// What the model lets go of: the proposal that `ctx_reduce` queues, and a policy takes.
import * as z from "zod";

/** The kind of job under which it is queued. */
export const LET_GO = "let-go";

/** Ids of the parts whose results may go; nothing in the text of a result is trusted to name them. */
export interface LetGo {
  readonly partIds: readonly string[];
}

const schema: z.ZodType<LetGo> = z.object({ partIds: z.array(z.string()) });

/** Null: stored by another version, in another shape. */
export function readLetGo(output: unknown): LetGo | null {
  const read = schema.safeParse(output);
  return read.success ? read.data : null;
}
