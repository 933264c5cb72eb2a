// Composes sources into a System Context with unique keys.
// Folder: Context Sources as values: observe, compare, render; pure.
import { type SourceKey, sourceKey } from "./key.ts";
import { mapMaybePromise } from "./maybe-promise.ts";
import type { LoadResult, SourceDefinition } from "./source.ts";
import { observeState, type SourceState } from "./state.ts";

/** One source of a System Context, with its value's type hidden. */
export interface ContextSource {
  readonly key: SourceKey;
  readonly required: boolean;
  /** Returns true while the loader reads only files of this machine. */
  readonly readsFilesAlone: () => boolean;
  /** Loads and encodes the value, once per call. Throws or rejects where either fails unexpectedly. */
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
export function make<T>(definition: SourceDefinition<T>): SystemContext {
  const key = sourceKey(definition.key);
  let last: { readonly loaded: LoadResult<T>; readonly state: SourceState } | null = null;
  /** Returns the same state object for the same loaded value. */
  const take = (loaded: LoadResult<T>): SourceState => {
    if (last?.loaded !== loaded) last = { loaded, state: observeState(definition, key, loaded) };
    return last.state;
  };
  const observe = () => mapMaybePromise(definition.load(), take);
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
