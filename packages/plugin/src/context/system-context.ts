// Composes sources into a System Context, observes them all at once, and holds what was observed.
// Folder: Context Sources as values: observe, compare, render; pure.
import { decode, encode } from "./canonical.ts";
import { compareKeys, type SourceKey, toSourceKey } from "./key.ts";
import type { SnapshotEntry } from "./snapshot.ts";
import {
  absent,
  isUnavailable,
  type LoadResult,
  renderSourceText,
  type SourceDefinition,
} from "./source.ts";

// Applies a function to a value now, or once its promise resolves.

/**
 * Maps a value at once if it is available, otherwise when its promise resolves. On the path of each model
 * call a promise costs more than most of the work that would wait for it.
 */
export function mapMaybePromise<Value, Made>(
  value: Value | Promise<Value>,
  take: (value: Value) => Made | Promise<Made>,
): Made | Promise<Made> {
  return value instanceof Promise ? value.then(take) : take(value);
}

// Holds the observed state of one source, with its value's type erased.

/** The observed state of one source. */
export type SourceState =
  | { readonly kind: "present"; readonly value: PresentValue }
  | { readonly kind: "absent" }
  | { readonly kind: "unavailable"; readonly reason: string };

/** A value whose type is hidden. Its hash is computed at once, and its texts only when they are used. */
export interface PresentValue {
  readonly hash: string;
  readonly baseline: () => string;
  /** Returns what a Snapshot keeps of the value, and renders its removal text. */
  readonly toSnapshotEntry: () => SnapshotEntry;
  /** Renders the update from the admitted value to this one; null if that value no longer decodes. */
  readonly renderUpdateFrom: (previous: SnapshotEntry) => (() => string) | null;
}

export function createUnavailableState(reason: string): SourceState {
  return { kind: "unavailable", reason };
}

/** @throws when a value does not fit its source's schema. */
export function observeState<T>(
  definition: SourceDefinition<T>,
  key: SourceKey,
  loaded: LoadResult<T>,
): SourceState {
  if (loaded === absent) return { kind: "absent" };
  if (isUnavailable(loaded)) return createUnavailableState(loaded.reason);
  return { kind: "present", value: toPresentValue(definition, key, loaded as T) };
}

// Calls renderers as methods of the definition, because it may be an instance of a class.
function toPresentValue<T>(
  definition: SourceDefinition<T>,
  key: SourceKey,
  current: T,
): PresentValue {
  const encoded = encode(definition.schema, current);
  return {
    hash: encoded.hash,
    baseline: () => renderSourceText(key, "baseline", () => definition.baseline(current)),
    toSnapshotEntry: () => ({ ...encoded, removed: renderRemoval(definition, key, current) }),
    renderUpdateFrom: (previous) => {
      const decoded = decode(definition.schema, previous.json);
      if (!decoded) return null;
      return () => renderSourceText(key, "update", () => definition.update(decoded.value, current));
    },
  };
}

function renderRemoval<T>(definition: SourceDefinition<T>, key: SourceKey, current: T) {
  const { removed } = definition;
  return removed ? renderSourceText(key, "removal", () => removed.call(definition, current)) : null;
}

/** One source of a System Context, with its value's type hidden. */
export interface ContextSource {
  readonly key: SourceKey;
  readonly required: boolean;
  /** Returns true while the loader reads only files of this machine. */
  readonly readsFilesAlone: () => boolean;
  /** Loads and encodes the value, once per call. Throws or rejects if either step fails unexpectedly. */
  readonly observe: () => SourceState | Promise<SourceState>;
}

/** Composed sources with unique keys, in the order in which they are announced. */
export interface SystemContext {
  readonly sources: readonly ContextSource[];
}

class DuplicateKeyError extends Error {
  readonly code = "duplicate_source_key";
  constructor(readonly key: SourceKey) {
    super(`Two Context Sources have the key ${key}.`);
    this.name = "DuplicateKeyError";
  }
}

/** @throws InvalidKeyError */
export function createSystemContext<T>(definition: SourceDefinition<T>): SystemContext {
  const key = toSourceKey(definition.key);
  let last: { readonly loaded: LoadResult<T>; readonly state: SourceState } | null = null;
  /** Returns the same state object for the same loaded value. */
  const toState = (loaded: LoadResult<T>): SourceState => {
    if (last?.loaded !== loaded) last = { loaded, state: observeState(definition, key, loaded) };
    return last.state;
  };
  const observe = () => mapMaybePromise(definition.load(), toState);
  const readsFilesAlone = () => definition.readsFilesAlone?.() ?? false;
  return { sources: [{ key, required: definition.required === true, readsFilesAlone, observe }] };
}

/** Joins contexts in the caller's order. @throws DuplicateKeyError */
export function combine(contexts: readonly SystemContext[]): SystemContext {
  const sources = contexts.flatMap((context) => context.sources);
  const seen = new Set<SourceKey>();
  for (const { key } of sources) {
    if (seen.has(key)) throw new DuplicateKeyError(key);
    seen.add(key);
  }
  return { sources };
}

// Observes every source of a System Context once, all concurrently.

/** One source in the state in which it was observed. */
export interface ObservedSource {
  readonly key: SourceKey;
  readonly required: boolean;
  readonly state: SourceState;
}

/** A System Context as observed at one moment, in the caller's order. */
export type ObservedContext = readonly ObservedSource[];

/** Observes every source exactly once, all at the same time. Rejects as soon as one observation fails. */
export function observe(context: SystemContext): Promise<ObservedContext> {
  return Promise.all(
    context.sources.map(async ({ key, required, observe }) => {
      return { key, required, state: await observe() };
    }),
  );
}

/**
 * Returns the same observation with one source marked unavailable. A caller does so for a source whose rendering
 * failed, so that the others are still announced.
 */
export function markUnavailable(
  observed: ObservedContext,
  key: SourceKey,
  reason: string,
): ObservedContext {
  return observed.map((source) =>
    source.key === key ? { ...source, state: createUnavailableState(reason) } : source,
  );
}

// Holds the ordered, scoped set of source producers.

/**
 * Returns the sources that apply in a scope (Location, session, agent, model), in the producer's own form.
 */
type Producer<Scope, Product = SystemContext> = (scope: Scope) => Product | Promise<Product>;

export interface RegistryEntry<Scope, Product> {
  readonly key: string;
  readonly producer: Producer<Scope, Product>;
}

export class DuplicateEntryError extends Error {
  readonly code = "duplicate_registry_entry";
  constructor(readonly key: string) {
    super(`The registry already has an entry ${JSON.stringify(key)}.`);
    this.name = "DuplicateEntryError";
  }
}

/** The scoped producers of Context Sources, independent of the order in which they were registered. */
export class Registry<Scope, Product = SystemContext> {
  readonly #entries = new Map<string, RegistryEntry<Scope, Product>>();

  /**
   * Registers a producer and returns its disposer, which may be called again and never removes a later entry.
   * @throws DuplicateEntryError
   */
  register(entryKey: string, producer: Producer<Scope, Product>): () => void {
    if (this.#entries.has(entryKey)) throw new DuplicateEntryError(entryKey);
    const entry = { key: entryKey, producer };
    this.#entries.set(entryKey, entry);
    return () => {
      if (this.#entries.get(entryKey) === entry) this.#entries.delete(entryKey);
    };
  }

  /** Lists all entries in key order, for a caller that runs each producer under a guard of its own. */
  entries(): readonly RegistryEntry<Scope, Product>[] {
    return [...this.#entries.values()].sort((left, right) => compareKeys(left.key, right.key));
  }

  /**
   * Runs all producers again, concurrently, and combines their results in the entries' key order. Rejects when a
   * producer fails, or with DuplicateKeyError.
   */
  async load(this: Registry<Scope, SystemContext>, scope: Scope): Promise<SystemContext> {
    const entries = this.entries();
    return combine(await Promise.all(entries.map(async ({ producer }) => producer(scope))));
  }
}
