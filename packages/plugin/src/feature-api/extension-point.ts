// Typed keys of what features give to others, and what follows of them for a feature's types.

/** No object has this property: it makes a key's type carry the type of its values. */
declare const VALUE: unique symbol;

/** `one`: a single feature of the list may provide it. `many`: each feature may add a value. */
export type Providers = "one" | "many";

/**
 * Something that features provide, and others need or use. Two keys of one name are the same: modules of a
 * feature that was bundled by itself have copies of ours.
 */
export interface ExtensionPoint<Value = unknown, Kind extends Providers = Providers> {
  /** The name that messages use, with its article. */
  readonly name: string;
  readonly providers: Kind;
  readonly [VALUE]?: Value;
}

/** A key that a single feature provides. */
export function extensionPoint<Value>(name: string): ExtensionPoint<Value, "one"> {
  return { name, providers: "one" };
}

/** A key that any number of features provide, each with one value. */
export function collectionPoint<Value>(name: string): ExtensionPoint<Value, "many"> {
  return { name, providers: "many" };
}

/** Keys by the names that a feature itself gives them. */
export type Points = Readonly<Record<string, ExtensionPoint>>;

type ValueOf<Point> = Point extends ExtensionPoint<infer Value> ? Value : never;

/** A value for each key that a feature provides; null where its settings leave it without one. */
export type ProvidedValues<Provides extends Points> = {
  readonly [Name in keyof Provides]: ValueOf<Provides[Name]> | null;
};

/** Values are in the order of the list of features where several provide one; `Absent` where nobody does. */
type GivenBy<Wanted extends Points, Absent> = string extends keyof Wanted
  ? unknown
  : {
      readonly [Name in keyof Wanted]: Wanted[Name] extends ExtensionPoint<infer Value, "many">
        ? readonly Value[]
        : ValueOf<Wanted[Name]> | Absent;
    };

/** The values of other features that a feature gets when it is opened. */
export type Given<Needs extends Points, Uses extends Points> = GivenBy<Needs, never> &
  GivenBy<Uses, null>;

/** A value, with the name of the feature that provides it. */
export interface Contribution<Value> {
  readonly feature: string;
  readonly value: Value;
}

/** Looks up what open features provide. */
export interface ProvidedLookup {
  /** The value, or null, of a key that one feature provides; the values of the others, in a list. */
  get(point: ExtensionPoint): unknown;
  /** Returns null where the feature that provides it is off, or could not be opened. */
  one<Value>(point: ExtensionPoint<Value, "one">): Value | null;
  /** Returns the values with the names of their features, in the order of the list. */
  all<Value>(point: ExtensionPoint<Value>): readonly Contribution<Value>[];
}
