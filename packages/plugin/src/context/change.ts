// Compares the sources as observed with what the model last received.
import { compareKeys, type SourceKey } from "./key.ts";
import type { ObservedContext, ObservedSource } from "./observe.ts";
import { findEntry, listKeys, type Snapshot, type SnapshotEntry } from "./snapshot.ts";
import type { PresentValue } from "./state.ts";

/** One difference between the sources as observed and what the model last received. */
export type Change =
  | {
      readonly kind: "announce";
      readonly key: SourceKey;
      readonly value: PresentValue;
      readonly render: () => string;
    }
  | { readonly kind: "remove"; readonly key: SourceKey; readonly text: string }
  /** The source has no text that leads from the announced value to the present one. */
  | { readonly kind: "incompatible"; readonly key: SourceKey };

/**
 * Checks that nothing differs, which is the usual case, without building a list. Compares hashes and renders
 * nothing.
 */
export function isUnchanged(snapshot: Snapshot, observed: ObservedContext): boolean {
  let admitted = 0;
  for (const { key, state } of observed) {
    const entry = findEntry(snapshot, key);
    if (entry) admitted += 1;
    const isAsAdmitted =
      state.kind === "present"
        ? state.value.hash === entry?.hash
        : state.kind !== "absent" || !entry;
    if (!isAsAdmitted) return false;
  }
  // A key that is admitted but was not observed has lost its source.
  return admitted === Object.keys(snapshot).length;
}

/**
 * Lists changes in the order in which they are announced: sources in the caller's order, then removals in key
 * order. Compares hashes and renders nothing.
 */
export function changesBetween(snapshot: Snapshot, observed: ObservedContext): readonly Change[] {
  const claimed = new Set(observed.map((source) => source.key));
  const absent = observed.filter((source) => source.state.kind === "absent");
  // Nothing reports the sources of a disposed contributor as absent, so they are found by their missing key.
  const disposed = listKeys(snapshot).filter((key) => !claimed.has(key));
  const gone = [...absent.map((source) => source.key), ...disposed].sort(compareKeys);
  return [
    ...observed.flatMap((source) => changeFor(source, findEntry(snapshot, source.key))),
    ...gone.flatMap((key) => changeForRemoval(key, findEntry(snapshot, key))),
  ];
}

/** Lists the admitted sources that could not be observed. */
export function unobserved(snapshot: Snapshot, observed: ObservedContext): readonly SourceKey[] {
  return observed
    .filter(({ key, state }) => state.kind === "unavailable" && findEntry(snapshot, key))
    .map((source) => source.key);
}

function changeFor({ key, state }: ObservedSource, admitted: SnapshotEntry | undefined): Change[] {
  if (state.kind !== "present" || state.value.hash === admitted?.hash) return [];
  const { value } = state;
  if (!admitted) return [{ kind: "announce", key, value, render: value.baseline }];
  const render = value.renderUpdateFrom(admitted);
  return render ? [{ kind: "announce", key, value, render }] : [{ kind: "incompatible", key }];
}

function changeForRemoval(key: SourceKey, admitted: SnapshotEntry | undefined): Change[] {
  if (!admitted) return [];
  if (admitted.removed === null) return [{ kind: "incompatible", key }];
  return [{ kind: "remove", key, text: admitted.removed }];
}
