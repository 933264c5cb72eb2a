// Defines the proposal that `ctx_reduce` queues, and the edits that a boundary makes of it.
import * as z from "zod";
import { resultsIn } from "../../history/results.ts";
import { inCall, renderStub, type StubSettings } from "../../history/stub.ts";
import { historyDraft } from "../../ledger/draft.ts";
import { replacedParts } from "../../ledger/replaced-parts.ts";
import type { DraftProposal } from "../../ledger/take-proposals.ts";

/** The kind of the queued proposal. */
export const REDUCE = "let-go";

/** Ids of the parts whose results are to be dropped; the text of a result is never trusted to name them. */
interface ReduceProposal {
  readonly partIds: readonly string[];
}

const schema: z.ZodType<ReduceProposal> = z.object({ partIds: z.array(z.string()) });

/** Returns null for a proposal that another version stored in another shape. */
export function readReduceProposal(output: unknown): ReduceProposal | null {
  const read = schema.safeParse(output);
  return read.success ? read.data : null;
}

/**
 * Replaces each result that is still shown by a stub; parts that announced a change, or are gone already, are
 * skipped.
 */
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
