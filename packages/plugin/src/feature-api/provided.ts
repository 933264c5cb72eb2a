// Looks up the values that open features provide, by their keys.
import type { Contribution, ExtensionPoint, Points, ProvidedLookup } from "./extension-point.ts";
import type { FeatureInstance } from "./feature.ts";

interface Provider extends Pick<FeatureInstance, "provides"> {
  /** The name of its feature. */
  readonly feature: string;
  /** The keys of what it provides. */
  readonly points?: Points;
}

export class Provided implements ProvidedLookup {
  readonly #values = new Map<string, Contribution<unknown>[]>();

  /** @param providers in the order of the list of features */
  constructor(providers: readonly Provider[] = []) {
    this.add(providers);
  }

  add(providers: readonly Provider[]): void {
    for (const { feature, points, provides = {} } of providers) {
      for (const [name, point] of Object.entries(points ?? {})) {
        const value = provides[name] ?? null;
        if (value !== null) this.#of(point).push({ feature, value });
      }
    }
  }

  get(point: ExtensionPoint): unknown {
    const values = this.#of(point).map(({ value }) => value);
    return point.providers === "one" ? (values[0] ?? null) : values;
  }

  one<Value>(point: ExtensionPoint<Value, "one">): Value | null {
    const [first] = this.all(point);
    return first?.value ?? null;
  }

  /** Values come in by their own keys, whose types they have: `defineFeature` sees to that. */
  all<Value>(point: ExtensionPoint<Value>): readonly Contribution<Value>[] {
    return this.#of(point) as readonly Contribution<Value>[];
  }

  #of({ name }: ExtensionPoint): Contribution<unknown>[] {
    const known = this.#values.get(name) ?? [];
    this.#values.set(name, known);
    return known;
  }
}
