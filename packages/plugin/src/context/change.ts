// The difference between the sources as observed and what the model last received.
import { compareKeys, type SourceKey } from "./key.ts";
import type { Observed, ObservedSource } from "./observe.ts";
import { entryOf, keysOf, type Snapshot, type SnapshotEntry } from "./snapshot.ts";
import type { PresentValue } from "./state.ts";

/** What differs between the sources as they were seen and what the model last received. */
export type Change =
  | {
      readonly kind: "tell";
      readonly key: SourceKey;
      readonly value: PresentValue;
      readonly render: () => string;
    }
  | { readonly kind: "remove"; readonly key: SourceKey; readonly text: string }
  /** No text of the source leads from what was announced to what is. */
  | { readonly kind: "incompatible"; readonly key: SourceKey };

/** Whether nothing differs: the usual finding, made without a list. Compares hashes and renders nothing. */
export function isUnchanged(snapshot: Snapshot, observed: Observed): boolean {
  let admitted = 0;
  for (const { key, state } of observed) {
    const entry = entryOf(snapshot, key);
    if (entry) admitted += 1;
    const isAsAdmitted =
      state.kind === "present"
        ? state.value.hash === entry?.hash
        : state.kind !== "absent" || !entry;
    if (!isAsAdmitted) return false;
  }
  // What is admitted and was not observed has lost its source.
  return admitted === Object.keys(snapshot).length;
}

/**
 * In the order in which they are announced: sources in the caller's order, then removals in key order.
 * Compares hashes and renders nothing.
 */
export function changesBetween(snapshot: Snapshot, observed: Observed): readonly Change[] {
  const claimed = new Set(observed.map((source) => source.key));
  const absent = observed.filter((source) => source.state.kind === "absent");
  // Of a disposed contributor's sources nobody is left to say that they are absent.
  const disposed = keysOf(snapshot).filter((key) => !claimed.has(key));
  const gone = [...absent.map((source) => source.key), ...disposed].sort(compareKeys);
  return [
    ...observed.flatMap((source) => newsOf(source, entryOf(snapshot, source.key))),
    ...gone.flatMap((key) => removalOf(key, entryOf(snapshot, key))),
  ];
}

/** The admitted sources that could not be observed. */
export function unobserved(snapshot: Snapshot, observed: Observed): readonly SourceKey[] {
  return observed
    .filter(({ key, state }) => state.kind === "unavailable" && entryOf(snapshot, key))
    .map((source) => source.key);
}

function newsOf({ key, state }: ObservedSource, admitted: SnapshotEntry | undefined): Change[] {
  if (state.kind !== "present" || state.value.hash === admitted?.hash) return [];
  const { value } = state;
  if (!admitted) return [{ kind: "tell", key, value, render: value.baseline }];
  const render = value.succeed(admitted);
  return render ? [{ kind: "tell", key, value, render }] : [{ kind: "incompatible", key }];
}

function removalOf(key: SourceKey, admitted: SnapshotEntry | undefined): Change[] {
  if (!admitted) return [];
  if (admitted.removed === null) return [{ kind: "incompatible", key }];
  return [{ kind: "remove", key, text: admitted.removed }];
}
