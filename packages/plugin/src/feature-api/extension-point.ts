// Types of the keys of what features give to others, and what follows of them for a feature's types.
import type { Ref } from "../ledger/ref.ts";
import type { SessionId } from "../storage/records.ts";

/** No object has this property: it makes a key's type carry the type of its values. */
declare const VALUE: unique symbol;

/** `one`: a single feature of the list may provide it. `many`: each feature may add a value. */
type ProviderCount = "one" | "many";

/**
 * Something that features provide, and others need or use. Two keys of one name are the same: modules of a
 * feature that was bundled by itself have copies of ours.
 */
export interface ExtensionPoint<Value = unknown, Kind extends ProviderCount = ProviderCount> {
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
export type DependencyValues<Needs extends Points, Uses extends Points> = GivenBy<Needs, never> &
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

// Declares how a feature that shows a ref's text has it kept in the context.

/** Says what came of it, in a sentence. Rejects where host or database can't be asked. */
export type KeepRef = (sessionId: SessionId, ref: Ref) => Promise<string>;

/** Answers where history is never rewritten. */
export const refuseToKeep: KeepRef = async () => "Nothing is dropped here, so it need not be kept.";

// Work on a project that one machine at a time does, where several share it.

/** `elsewhere`: another machine has it. `away`: the server could not be asked. */
export type LeaseHold = "held" | "elsewhere" | "away";

/** The time when any machine last did each work, in milliseconds since 1970 by this machine's clock. */
type LastRuns = ReadonlyMap<string, number>;

export interface ProjectLease {
  /** Takes or renews it, and brings this machine's copy in step with what others have written. */
  hold(project: string, holder: string): Promise<LeaseHold>;
  /** Gives it back after what was written is on the server; `done`: the work that was done under it. */
  release(project: string, holder: string, done: string | null): Promise<void>;
  /** Resolves to the work that others have done; `elsewhere` while one of them runs. */
  done(project: string): Promise<LastRuns | "elsewhere" | "away">;
}

/** The lease of a project that is this machine's alone. */
export const unsharedLease: ProjectLease = {
  hold: async () => "held",
  release: async () => undefined,
  done: async () => new Map(),
};

/** @param work the name of the work that one machine at a time does */
export type LeaseForProject = (work: string) => ProjectLease;

// A call's tools, as they are about to be offered, and what is said of ours among them.

export interface OfferedCall {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
  /** The names of our tools. */
  readonly own: readonly string[];
  /** The number of tools beside ours; null where the host doesn't say. */
  readonly others: number | null;
}

/** Names those of ours that the call is left without. */
export type ListWithheldTools = (call: OfferedCall) => readonly string[];
