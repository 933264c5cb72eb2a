import { type SourceKey, sourceKey } from "./key.ts";
import type { SourceDefinition } from "./source.ts";
import { type SourceState, stateOf } from "./state.ts";

/** One source of a System Context, its value's type hidden. */
export interface ContextSource {
  readonly key: SourceKey;
  readonly required: boolean;
  /** Loads and encodes the value, once per call; rejects where either fails unexpectedly. */
  readonly observe: () => Promise<SourceState>;
}

/** Composed sources, in the order in which they are told; keys are unique. */
export interface SystemContext {
  readonly sources: readonly ContextSource[];
}

export class DuplicateKeyError extends Error {
  readonly code = "duplicate_source_key";
  constructor(readonly key: SourceKey) {
    super(`Two Context Sources have the key ${key}.`);
    this.name = "DuplicateKeyError";
  }
}

/** @throws InvalidKeyError */
export function make<T>(definition: SourceDefinition<T>): SystemContext {
  const key = sourceKey(definition.key);
  const observe = () => definition.load().then((loaded) => stateOf(definition, key, loaded));
  return { sources: [{ key, required: definition.required === true, observe }] };
}

/** Keeps the caller's order. @throws DuplicateKeyError */
export function combine(contexts: readonly SystemContext[]): SystemContext {
  const sources = contexts.flatMap((context) => context.sources);
  const seen = new Set<SourceKey>();
  for (const { key } of sources) {
    if (seen.has(key)) throw new DuplicateKeyError(key);
    seen.add(key);
  }
  return { sources };
}
