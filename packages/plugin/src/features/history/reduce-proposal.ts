// What the model lets go of: the proposal that `ctx_reduce` queues, and the drafts that a boundary makes of it.
import * as z from "zod";
import { resultsIn } from "../../history/results.ts";
import { inCall, renderStub, type StubSettings } from "../../history/stub.ts";
import { historyDraft } from "../../ledger/draft.ts";
import { replacedParts } from "../../ledger/replaced-parts.ts";
import type { DraftProposal } from "../../ledger/take-proposals.ts";

/** The kind of proposal as which it is queued. */
export const REDUCE = "let-go";

/** Ids of the parts whose results may go; nothing in the text of a result is trusted to name them. */
interface ReduceProposal {
  readonly partIds: readonly string[];
}

const schema: z.ZodType<ReduceProposal> = z.object({ partIds: z.array(z.string()) });

/** Null: stored by another version, in another shape. */
export function readReduceProposal(output: unknown): ReduceProposal | null {
  const read = schema.safeParse(output);
  return read.success ? read.data : null;
}

/** Each result that is still shown goes for a stub; what announced something, or has gone already, stays as it is. */
export function draftReduce(settings: StubSettings): DraftProposal {
  return (output, { messages, standing, claims, withheld }) => {
    const inThisCall = inCall(settings, { withheld });
    const named = new Set(readReduceProposal(output)?.partIds);
    const replaced = replacedParts(standing);
    return resultsIn(messages).flatMap(({ messageId, partId, part, text }) => {
      if (!named.has(partId) || replaced.has(partId) || claims.has(partId)) return [];
      const stub = renderStub(part, text, "released", inThisCall);
      return [historyDraft({ verb: "replace", at: { messageId, partId }, text: stub })];
    });
  };
}
