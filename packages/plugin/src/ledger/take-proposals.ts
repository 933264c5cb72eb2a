// Turns proposals into drafts.
import type { Draft } from "./entry.ts";
import type { BoundaryView, Policy, Proposal } from "./policy.ts";

/** Names the origin of entries that were proposed. */
export const PROPOSALS_POLICY = "take-proposals";

/** Checks a proposal against the present. No drafts: its range does not stand any more, and it is dropped. */
export type DraftProposal = (output: unknown, view: BoundaryView) => readonly Draft[];

/** Drafts from proposals; one of a kind that is not known any more drafts nothing. */
export function takeProposals(kinds: ReadonlyMap<string, DraftProposal>): Policy {
  const draftOne = (view: BoundaryView, { id, kind, output }: Proposal) =>
    (kinds.get(kind)?.(output, view) ?? []).map((draft) => ({ ...draft, proposal: id }));
  return {
    name: PROPOSALS_POLICY,
    scope: "session",
    draft: (view) => view.proposals.flatMap((proposal) => draftOne(view, proposal)),
  };
}
