// Opens every feature for one plugin instance.
import type { Points } from "./extension-point.ts";
import type { Feature, FeatureInstance } from "./feature.ts";
import type { FeatureContext } from "./feature-context.ts";
import { openingOrder, providersFor } from "./opening-order.ts";
import { Provided } from "./provided.ts";
import { UserFacingError } from "./user-facing-error.ts";

export interface OpenFeature extends FeatureInstance {
  /** The name of its feature. */
  readonly feature: string;
  /** The keys of what it provides. */
  readonly points?: Points;
}

/**
 * Opens features in the order of the list, each after those that provide its values. One that can't be
 * opened stays closed, and costs only those that need it.
 */
export async function openFeatures(
  features: readonly Feature[],
  context: FeatureContext,
): Promise<readonly OpenFeature[]> {
  const opening = new Map<Feature, Promise<readonly OpenFeature[]>>();
  for (const feature of openingOrder(features)) {
    const providers = providersFor(feature, features).flatMap((one) => opening.get(one) ?? []);
    opening.set(feature, openAfter(providers, feature, context));
  }
  const featureInstances = await Promise.all(
    features.flatMap((feature) => opening.get(feature) ?? []),
  );
  return featureInstances.flat();
}

/** Returns an empty list when the feature could not be opened. */
async function openAfter(
  providers: readonly Promise<readonly OpenFeature[]>[],
  feature: Feature,
  context: FeatureContext,
): Promise<readonly OpenFeature[]> {
  const { name, provides, needs = {} } = feature;
  try {
    const provided = new Provided((await Promise.all(providers)).flat());
    const missing = Object.values(needs).find((point) => provided.all(point).length === 0);
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
