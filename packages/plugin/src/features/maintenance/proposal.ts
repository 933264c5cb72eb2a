// A change of memories that a model would make, as it is checked and stored. Pure.
import * as z from "zod";
import type { MemoryId } from "../memory/record.ts";

const id = z.string().transform((written) => written as MemoryId);
/** The model's reason, for people. */
const why = z.string();
const text = z.string();

export const proposalSchema = z.discriminatedUnion("kind", [
  /** `text` stands for all of them. */
  z.object({ kind: z.literal("merge"), ids: z.array(id).readonly(), text, why }),
  /** `id` is wrong where `by` says otherwise. */
  z.object({ kind: z.literal("supersede"), id, by: id, why }),
  z.object({ kind: z.literal("archive"), id, why }),
  z.object({ kind: z.literal("rewrite"), id, text, why }),
  /** The memory was found true. */
  z.object({ kind: z.literal("checked"), id, why }),
  /** A change of a document is only written into a patch. */
  z.object({ kind: z.literal("document"), path: text, find: text, replace: text, why }),
]);

export type Proposal = Readonly<z.infer<typeof proposalSchema>>;

/** The memories that a proposal changes. */
export function listChangedIds(proposal: Proposal): readonly MemoryId[] {
  switch (proposal.kind) {
    case "merge":
      return proposal.ids;
    case "supersede":
    case "archive":
    case "rewrite":
    case "checked":
      return [proposal.id];
    case "document":
      return [];
  }
}
