// Defines a feature with extension points: types hold its `open` and its instance to what it declares.
import type { Given, Points, ProvidedValues } from "./extension-point.ts";
import type { Feature, FeatureInstance } from "./feature.ts";
import type { FeatureContext } from "./feature-context.ts";

/** An instance that has a value for each of these extension points. */
export type FeatureInstanceWith<Provides extends Points> = FeatureInstance & {
  readonly provides: ProvidedValues<Provides>;
};

/** Keys that aren't declared are inferred as any keys. */
type Opened<Provides extends Points> = string extends keyof Provides
  ? FeatureInstance
  : FeatureInstanceWith<Provides>;

interface ConnectedFeature<Provides extends Points, Needs extends Points, Uses extends Points>
  extends Omit<Feature, "provides" | "needs" | "uses" | "open" | "publish"> {
  readonly provides?: Provides;
  readonly needs?: Needs;
  readonly uses?: Uses;
  readonly publish?: (directory: string, opened: () => Promise<Opened<Provides>>) => () => void;
  readonly open: (context: FeatureContext, given: Given<Needs, Uses>) => Promise<Opened<Provides>>;
}

/**
 * `open` gets a value for each name of `needs` and `uses`, and its instance has one for each of
 * `provides`: an undeclared value is out of reach, and a missing one is a type error.
 */
export function defineFeature<Provides extends Points, Needs extends Points, Uses extends Points>(
  feature: ConnectedFeature<Provides, Needs, Uses>,
): Feature {
  const { needs, uses, open, publish, ...rest } = feature;
  const wanted = Object.entries<Points[string]>({ ...needs, ...uses });
  return {
    ...rest,
    ...(needs && { needs }),
    ...(uses && { uses }),
    // The instance passed to it is the one that `open` has made.
    ...(publish && { publish: publish as NonNullable<Feature["publish"]> }),
    open: (context, provided) => {
      const given = wanted.map(([name, point]) => [name, provided.get(point)]);
      return open(context, Object.fromEntries(given) as Given<Needs, Uses>);
    },
  };
}
