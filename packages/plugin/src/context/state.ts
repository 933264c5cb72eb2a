// Holds the observed state of one source, with its value's type erased.
import { decode, encode } from "./encoding.ts";
import type { SourceKey } from "./key.ts";
import { render } from "./rendering.ts";
import type { SnapshotEntry } from "./snapshot.ts";
import { absent, isUnavailable, type LoadResult, type SourceDefinition } from "./source.ts";

/** The observed state of one source. */
export type SourceState =
  | { readonly kind: "present"; readonly value: PresentValue }
  | { readonly kind: "absent" }
  | { readonly kind: "unavailable"; readonly reason: string };

/** A value whose type is hidden. Its hash is computed at once, its texts only when they are used. */
export interface PresentValue {
  readonly hash: string;
  readonly baseline: () => string;
  /** Returns what a Snapshot keeps of the value, and renders its removal text. */
  readonly toSnapshotEntry: () => SnapshotEntry;
  /** Renders the update from the admitted value to this one; null if that value no longer decodes. */
  readonly renderUpdateFrom: (previous: SnapshotEntry) => (() => string) | null;
}

export function unavailableState(reason: string): SourceState {
  return { kind: "unavailable", reason };
}

/** @throws when a value does not fit its source's schema. */
export function observeState<T>(
  definition: SourceDefinition<T>,
  key: SourceKey,
  loaded: LoadResult<T>,
): SourceState {
  if (loaded === absent) return { kind: "absent" };
  if (isUnavailable(loaded)) return unavailableState(loaded.reason);
  return { kind: "present", value: presentValue(definition, key, loaded as T) };
}

// Renderers are called as methods of the definition, which may be an instance of a class.
function presentValue<T>(
  definition: SourceDefinition<T>,
  key: SourceKey,
  current: T,
): PresentValue {
  const encoded = encode(definition.schema, current);
  return {
    hash: encoded.hash,
    baseline: () => render(key, "baseline", () => definition.baseline(current)),
    toSnapshotEntry: () => ({ ...encoded, removed: removalText(definition, key, current) }),
    renderUpdateFrom: (previous) => {
      const decoded = decode(definition.schema, previous.json);
      if (!decoded) return null;
      return () => render(key, "update", () => definition.update(decoded.value, current));
    },
  };
}

function removalText<T>(definition: SourceDefinition<T>, key: SourceKey, current: T) {
  const { removed } = definition;
  return removed ? render(key, "removal", () => removed.call(definition, current)) : null;
}
