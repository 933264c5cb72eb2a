// Opens every feature for one plugin instance, provides their values, and combines their policies.
import type { FindSightings, Policy } from "../ledger/policy.ts";
import { createProposalsPolicy, type DraftProposal } from "../ledger/take-proposals.ts";
import type { FailureReporter } from "../log/fault.ts";
import type { Contribution, ExtensionPoint, Points, ProvidedLookup } from "./extension-point.ts";
import type { Feature, FeatureInstance } from "./feature.ts";
import type { FeatureContext } from "./feature-context.ts";
import { computeOpeningOrder, indexProviders, listProviders } from "./opening-order.ts";
import { UserFacingError } from "./user-facing-error.ts";

// Looks up the values that open features provide, by extension point.

interface Provider extends Pick<FeatureInstance, "provides"> {
  /** The feature's name. */
  readonly feature: string;
  /** The extension points that the feature provides. */
  readonly points?: Points;
}

export class ExtensionRegistry implements ProvidedLookup {
  readonly #values = new Map<string, Contribution<unknown>[]>();

  /** @param providers in the order of the list of features */
  constructor(providers: readonly Provider[] = []) {
    this.add(providers);
  }

  add(providers: readonly Provider[]): void {
    for (const { feature, points, provides = {} } of providers) {
      for (const [name, point] of Object.entries(points ?? {})) {
        const value = provides[name] ?? null;
        if (value !== null) this.#listContributions(point).push({ feature, value });
      }
    }
  }

  get(point: ExtensionPoint): unknown {
    const values = this.#listContributions(point).map(({ value }) => value);
    return point.providers === "one" ? (values[0] ?? null) : values;
  }

  getOne<Value>(point: ExtensionPoint<Value, "one">): Value | null {
    const [first] = this.getAll(point);
    return first?.value ?? null;
  }

  /** The cast is safe, because `defineFeature` ensures that each value has its point's type. */
  getAll<Value>(point: ExtensionPoint<Value>): readonly Contribution<Value>[] {
    return this.#listContributions(point) as readonly Contribution<Value>[];
  }

  #listContributions({ name }: ExtensionPoint): Contribution<unknown>[] {
    const known = this.#values.get(name) ?? [];
    this.#values.set(name, known);
    return known;
  }
}

export interface OpenFeature extends FeatureInstance {
  /** The feature's name. */
  readonly feature: string;
  /** The extension points that the feature provides. */
  readonly points?: Points;
}

/**
 * Opens features in the order of the list, each one after those that provide its values. A feature that can't
 * be opened stays closed and affects only those that need it.
 */
export async function openFeatures(
  features: readonly Feature[],
  context: FeatureContext,
): Promise<readonly OpenFeature[]> {
  const opening = new Map<Feature, Promise<readonly OpenFeature[]>>();
  const index = indexProviders(features);
  for (const feature of computeOpeningOrder(features)) {
    const listed = listProviders(index, feature, features);
    const providers = listed.flatMap((one) => opening.get(one) ?? []);
    opening.set(feature, openAfterProviders(providers, feature, context));
  }
  const featureInstances = await Promise.all(
    features.flatMap((feature) => opening.get(feature) ?? []),
  );
  return featureInstances.flat();
}

/** Opens a feature after its providers; returns an empty list if the feature could not be opened. */
async function openAfterProviders(
  providers: readonly Promise<readonly OpenFeature[]>[],
  feature: Feature,
  context: FeatureContext,
): Promise<readonly OpenFeature[]> {
  const { name, provides, needs = {} } = feature;
  try {
    const provided = new ExtensionRegistry((await Promise.all(providers)).flat());
    const missing = Object.values(needs).find((point) => provided.getAll(point).length === 0);
    if (missing)
      throw new UserFacingError(`${name} needs ${missing.name}, which is not available.`);
    const instance = await feature.open(context, provided);
    return [{ feature: name, ...(provides && { points: provides }), ...instance }];
  } catch (error) {
    context.failures.failed(`feature ${name}`, error);
    return [];
  }
}

/** Computes a value from all open features: once, and again when more of them have opened. */
export function memoizeByFeatures<Made>(
  features: readonly OpenFeature[],
  make: () => Made,
): () => Made {
  let made: { readonly count: number; readonly value: Made } | null = null;
  return () => {
    if (made?.count !== features.length) made = { count: features.length, value: make() };
    return made.value;
  };
}

// Combines the drafts of features, each under a guard of its own.

/**
 * Collects the features' policies in the features' order, followed by one for their proposals. A policy that
 * throws drafts nothing and is reported: without a guard, its error would remove the session's own text from
 * every call.
 */
export function collectPolicies(
  featureInstances: readonly OpenFeature[],
  failures: FailureReporter,
): readonly Policy[] {
  const policies = featureInstances.flatMap(({ feature, policies: own = [] }) =>
    own.map((policy) => ({
      ...policy,
      draft: guardDraft(`${feature}.draft`, policy.draft, failures),
    })),
  );
  const kinds = featureInstances.flatMap(({ feature, proposals = [] }) =>
    [...proposals].map(([kind, propose]): [string, DraftProposal] => [
      kind,
      guardDraft(`${feature}.propose`, propose, failures),
    ]),
  );
  return [...policies, createProposalsPolicy(new Map(kinds))];
}

/**
 * Collects what features recognise in histories. A witness that throws recognises nothing, and its changes
 * are announced as updates.
 */
export function collectWitnesses(
  featureInstances: readonly OpenFeature[],
  failures: FailureReporter,
): readonly FindSightings[] {
  return featureInstances.flatMap(({ feature, witness }) =>
    witness ? [guardDraft(`${feature}.witness`, witness, failures)] : [],
  );
}

function guardDraft<Args extends readonly unknown[], Drafted>(
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
