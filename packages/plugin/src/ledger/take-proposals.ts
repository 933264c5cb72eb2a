// Turns proposals into drafts.
import type { Draft } from "./entry.ts";
import type { BoundaryView, Policy, Proposal } from "./policy.ts";

/** Names the origin of entries that come from proposals. */
export const PROPOSALS_POLICY = "take-proposals";

/** Checks a proposal against the present; if its range is gone, returns no drafts, which drops it. */
export type DraftProposal = (output: unknown, view: BoundaryView) => readonly Draft[];

/** Builds the policy that drafts from proposals; a proposal whose kind is no longer known drafts nothing. */
export function createProposalsPolicy(kinds: ReadonlyMap<string, DraftProposal>): Policy {
  const draftFromProposal = (view: BoundaryView, { id, kind, output }: Proposal) =>
    (kinds.get(kind)?.(output, view) ?? []).map((draft) => ({ ...draft, proposal: id }));
  return {
    name: PROPOSALS_POLICY,
    scope: "session",
    draft: (view) => view.proposals.flatMap((proposal) => draftFromProposal(view, proposal)),
  };
}
