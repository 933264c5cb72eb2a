// Chooses the features that are opened, and orders them: each after those that provide its values.
import type { Config } from "../config/schema.ts";
import type { ExtensionPoint, Points } from "./extension-point.ts";
import type { Feature } from "./feature.ts";
import { UserFacingError } from "./user-facing-error.ts";

type Connected = Pick<Feature, "name" | "provides" | "needs" | "uses">;

/**
 * Checks the list itself, whatever the settings turn off.
 * @throws UserFacingError where nobody provides what a feature needs, two features provide what one may, or features
 *   would have to be opened before each other
 */
export function checkFeatures(listed: readonly Connected[]): void {
  for (const { name, needs = {} } of listed) {
    for (const point of Object.values(needs)) {
      if (providersIn(listed, point).length > 0) continue;
      throw new UserFacingError(
        `The feature ${name} needs ${point.name}, which no feature provides.`,
      );
    }
  }
  for (const { provides = {} } of listed) {
    for (const point of Object.values(provides)) {
      const names = providersIn(listed, point).map(({ name }) => name);
      if (point.providers === "many" || names.length === 1) continue;
      throw new UserFacingError(
        `The features ${names.join(" and ")} both provide ${point.name}, which only one may.`,
      );
    }
  }
  openingOrder(listed);
}

/** @throws UserFacingError where features would have to be opened before each other */
export function openingOrder<One extends Connected>(features: readonly One[]): readonly One[] {
  const ordered = new Set<One>();
  const visit = (feature: One, path: readonly One[]): void => {
    if (ordered.has(feature)) return;
    if (path.includes(feature)) {
      const circle = [...path.slice(path.indexOf(feature)), feature].map(({ name }) => name);
      throw new UserFacingError(
        `Features can't be opened before each other: ${circle.join(" -> ")}.`,
      );
    }
    for (const provider of providersFor(feature, features)) visit(provider, [...path, feature]);
    ordered.add(feature);
  };
  for (const feature of features) visit(feature, []);
  return [...ordered];
}

/** Lists the features whose values a feature gets, in the order of the list. */
export function providersFor<One extends Connected>(
  { needs, uses }: Connected,
  features: readonly One[],
): readonly One[] {
  const wanted = [...pointNames(needs), ...pointNames(uses)];
  return features.filter(({ provides }) =>
    pointNames(provides).some((name) => wanted.includes(name)),
  );
}

/** Keeps the features whose needs the others can meet, and theirs in turn. */
function withNeedsMet<One extends Connected>(features: readonly One[]): readonly One[] {
  const met = features.filter(({ needs = {} }) =>
    Object.values(needs).every((point) => providersIn(features, point).length > 0),
  );
  return met.length === features.length ? features : withNeedsMet(met);
}

function providersIn<One extends Connected>(
  features: readonly One[],
  point: ExtensionPoint,
): readonly One[] {
  return features.filter(({ provides }) => pointNames(provides).includes(point.name));
}

function pointNames(points: Points = {}): readonly string[] {
  return Object.values(points).map(({ name }) => name);
}

// The features that are opened: those that the settings turn on, and that the host has a place for.

/**
 * A feature whose needs are off is off as well.
 * @param leftOut names of those that the host has no place for
 */
export function enabledFeatures(
  listed: readonly Feature[],
  config: Config,
  leftOut: ReadonlySet<string>,
): readonly Feature[] {
  return withNeedsMet(
    listed.filter(({ name, isOn }) => !leftOut.has(name) && (isOn?.(config) ?? true)),
  );
}
