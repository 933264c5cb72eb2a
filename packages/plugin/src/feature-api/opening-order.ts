// Chooses the features that are opened, and orders them so that each one follows those that provide its values.
import type { Config } from "../config/schema.ts";
import type { Points } from "./extension-point.ts";
import type { Feature } from "./feature.ts";
import { UserFacingError } from "./user-facing-error.ts";

type FeatureConnections = Pick<Feature, "name" | "provides" | "needs" | "uses">;

/** Maps each extension point's name to the features that provide it, in the order of the list. */
type ProviderIndex<One> = ReadonlyMap<string, readonly One[]>;

/**
 * Checks the list itself, whatever the settings turn off.
 * @throws UserFacingError if no feature provides what another needs, two features provide what only one may,
 *   or features would have to be opened before each other
 */
export function checkFeatures(listed: readonly FeatureConnections[]): void {
  const index = indexProviders(listed);
  for (const { name, needs = {} } of listed) {
    for (const point of Object.values(needs)) {
      if (index.has(point.name)) continue;
      throw new UserFacingError(
        `The feature ${name} needs ${point.name}, which no feature provides.`,
      );
    }
  }
  for (const { provides = {} } of listed) {
    for (const point of Object.values(provides)) {
      const providers = index.get(point.name) ?? [];
      if (point.providers === "many" || providers.length === 1) continue;
      const names = providers.map(({ name }) => name).join(" and ");
      throw new UserFacingError(
        `The features ${names} both provide ${point.name}, which only one may.`,
      );
    }
  }
  computeOpeningOrder(listed);
}

/** @throws UserFacingError if features would have to be opened before each other */
export function computeOpeningOrder<One extends FeatureConnections>(
  features: readonly One[],
): readonly One[] {
  const index = indexProviders(features);
  const ordered = new Set<One>();
  const visit = (feature: One, path: readonly One[]): void => {
    if (ordered.has(feature)) return;
    if (path.includes(feature)) {
      const circle = [...path.slice(path.indexOf(feature)), feature].map(({ name }) => name);
      throw new UserFacingError(
        `Features can't be opened before each other: ${circle.join(" -> ")}.`,
      );
    }
    for (const provider of listProviders(index, feature, features))
      visit(provider, [...path, feature]);
    ordered.add(feature);
  };
  for (const feature of features) visit(feature, []);
  return [...ordered];
}

/** Lists the features whose values a feature gets, in the order of the list. */
export function listProviders<One extends FeatureConnections>(
  index: ProviderIndex<One>,
  { needs, uses }: FeatureConnections,
  features: readonly One[],
): readonly One[] {
  const wanted = [...listPointNames(needs), ...listPointNames(uses)];
  const providers = new Set(wanted.flatMap((name) => index.get(name) ?? []));
  return providers.size === 0 ? [] : features.filter((feature) => providers.has(feature));
}

/** Keeps the features whose needs are met by others whose needs are met in turn. */
function selectWithNeedsMet<One extends FeatureConnections>(
  features: readonly One[],
): readonly One[] {
  const index = indexProviders(features);
  const met = features.filter(({ needs }) =>
    listPointNames(needs).every((name) => index.has(name)),
  );
  return met.length === features.length ? features : selectWithNeedsMet(met);
}

/** Builds the index in one pass, because the host waits for the index when it starts. */
export function indexProviders<One extends FeatureConnections>(
  features: readonly One[],
): ProviderIndex<One> {
  const index = new Map<string, One[]>();
  for (const feature of features) {
    for (const name of listPointNames(feature.provides)) {
      const providers = index.get(name);
      if (providers === undefined) index.set(name, [feature]);
      else if (!providers.includes(feature)) providers.push(feature);
    }
  }
  return index;
}

function listPointNames(points: Points = {}): readonly string[] {
  return Object.values(points).map(({ name }) => name);
}

// Selects the features that are opened: those that the settings turn on and that the host supports.

/**
 * Selects the enabled features. A feature whose needs are off is off too.
 * @param leftOut names of the features that the host doesn't support
 */
export function selectEnabledFeatures(
  listed: readonly Feature[],
  config: Config,
  leftOut: ReadonlySet<string>,
): readonly Feature[] {
  return selectWithNeedsMet(
    listed.filter(({ name, isOn }) => !leftOut.has(name) && (isOn?.(config) ?? true)),
  );
}
