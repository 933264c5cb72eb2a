// Combines the drafts of features, each under a guard of its own.

import type { Policy } from "../ledger/policy.ts";
import type { FindSightings } from "../ledger/sightings.ts";
import { type DraftProposal, takeProposals } from "../ledger/take-proposals.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { OpenFeature } from "./open-features.ts";

/**
 * Runs the policies of features in their order, then their proposals. One that throws drafts nothing and
 * is reported: unguarded, it would take the session's own text off every call.
 */
export function featurePolicies(
  featureInstances: readonly OpenFeature[],
  failures: FailureReporter,
): readonly Policy[] {
  const policies = featureInstances.flatMap(({ feature, policies: own = [] }) =>
    own.map((policy) => ({
      ...policy,
      draft: guarded(`${feature}.draft`, policy.draft, failures),
    })),
  );
  const kinds = featureInstances.flatMap(({ feature, proposals = [] }) =>
    [...proposals].map(([kind, propose]): [string, DraftProposal] => [
      kind,
      guarded(`${feature}.propose`, propose, failures),
    ]),
  );
  return [...policies, takeProposals(new Map(kinds))];
}

/**
 * Collects what features recognise in histories: one that throws recognises nothing, and its changes come
 * as updates.
 */
export function featureWitnesses(
  featureInstances: readonly OpenFeature[],
  failures: FailureReporter,
): readonly FindSightings[] {
  return featureInstances.flatMap(({ feature, witness }) =>
    witness ? [guarded(`${feature}.witness`, witness, failures)] : [],
  );
}

function guarded<Args extends readonly unknown[], Drafted>(
  where: string,
  draft: (...args: Args) => readonly Drafted[],
  failures: FailureReporter,
): (...args: Args) => readonly Drafted[] {
  return (...args) => {
    try {
      const drafted = draft(...args);
      failures.worked(where);
      return drafted;
    } catch (error) {
      failures.failed(where, error);
      return [];
    }
  };
}
