// Types of the extension points through which features exchange values, and the types that a feature gets from them.
import type { Ref } from "../ledger/ref.ts";
import type { SessionId } from "../storage/records.ts";

/** No object has this property: it makes a key's type carry the type of its values. */
declare const VALUE_TYPE: unique symbol;

/** `one`: only a single feature of the list may provide a value. `many`: each feature may add one. */
type ProviderCount = "one" | "many";

/**
 * Something that features provide, and others need or use. Two points with the same name are equal, because a
 * feature that was bundled separately has its own copies of our modules.
 */
export interface ExtensionPoint<Value = unknown, Kind extends ProviderCount = ProviderCount> {
  /** The name that messages use, with its article. */
  readonly name: string;
  readonly providers: Kind;
  readonly [VALUE_TYPE]?: Value;
}

/** Creates a point for which a single feature provides the value. */
export function createExtensionPoint<Value>(name: string): ExtensionPoint<Value, "one"> {
  return { name, providers: "one" };
}

/** Creates a point for which any number of features provide one value each. */
export function createCollectionPoint<Value>(name: string): ExtensionPoint<Value, "many"> {
  return { name, providers: "many" };
}

/** Extension points by the names that the feature itself gives them. */
export type Points = Readonly<Record<string, ExtensionPoint>>;

type ValueOf<Point> = Point extends ExtensionPoint<infer Value> ? Value : never;

/** A value for each point that a feature provides; null if the settings leave the point without one. */
export type ProvidedValues<Provides extends Points> = {
  readonly [Name in keyof Provides]: ValueOf<Provides[Name]> | null;
};

/**
 * The values that a feature is given: a list, in the order of features, if several may provide one; otherwise
 * a value, or `Absent` if no feature provides it.
 */
type ValuesFrom<Wanted extends Points, Absent> = string extends keyof Wanted
  ? unknown
  : {
      readonly [Name in keyof Wanted]: Wanted[Name] extends ExtensionPoint<infer Value, "many">
        ? readonly Value[]
        : ValueOf<Wanted[Name]> | Absent;
    };

/** The values of other features that a feature gets when it is opened. */
export type DependencyValues<Needs extends Points, Uses extends Points> = ValuesFrom<Needs, never> &
  ValuesFrom<Uses, null>;

/** A value, with the name of the feature that provides it. */
export interface Contribution<Value> {
  readonly feature: string;
  readonly value: Value;
}

/** Looks up what open features provide. */
export interface ProvidedLookup {
  /**
   * Returns the value, or null, of a point that one feature provides; for any other point, a list of values.
   */
  get(point: ExtensionPoint): unknown;
  /** Returns null if the feature that provides the value is off or could not be opened. */
  getOne<Value>(point: ExtensionPoint<Value, "one">): Value | null;
  /** Returns the values with the names of their features, in the order of the list. */
  getAll<Value>(point: ExtensionPoint<Value>): readonly Contribution<Value>[];
}

// Declares how a feature that shows a ref's text can have it kept in the context.

/**
 * Keeps what a ref names and resolves to a sentence about the outcome. Rejects if the host or the database
 * can't be asked.
 */
export type KeepRef = (sessionId: SessionId, ref: Ref) => Promise<string>;

/** The answer of a runtime that never rewrites history. */
export const refuseToKeep: KeepRef = async () => "Nothing is dropped here, so it need not be kept.";

// Coordinates the work that only one machine at a time does on a project that several machines share.

/** `elsewhere`: another machine holds the lease. `away`: the server could not be asked. */
export type LeaseHold = "held" | "elsewhere" | "away";

/**
 * The time at which any machine last did each kind of work, in milliseconds since 1970 by this machine's
 * clock.
 */
type LastRuns = ReadonlyMap<string, number>;

export interface ProjectLease {
  /**
   * Takes or renews the lease, and brings this machine's copy up to date with what other machines have
   * written.
   */
  hold(project: string, holder: string): Promise<LeaseHold>;
  /**
   * Returns the lease once everything written is on the server. `done` names the work done under it, if any.
   */
  release(project: string, holder: string, done: string | null): Promise<void>;
  /** Resolves to the last run of each kind of work; `elsewhere` while another machine is working. */
  done(project: string): Promise<LastRuns | "elsewhere" | "away">;
}

/** The lease of a project that only this machine uses. */
export const unsharedLease: ProjectLease = {
  hold: async () => "held",
  release: async () => undefined,
  done: async () => new Map(),
};

/**
 * Returns the lease for one kind of work.
 * @param work the name of the work that one machine at a time does
 */
export type LeaseForProject = (work: string) => ProjectLease;

// Describes a call's tools just before they are offered, and which of our own tools are left out.

export interface OfferedCall {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
  /** The names of our tools. */
  readonly own: readonly string[];
  /** The number of tools that are not ours; null if the host doesn't say. */
  readonly others: number | null;
}

/** Returns the names of our tools that the call has to go without. */
export type ListWithheldTools = (call: OfferedCall) => readonly string[];
