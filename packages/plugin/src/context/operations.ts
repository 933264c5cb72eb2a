// Decides what to send, given an observation and a Snapshot: `initialize`, `reconcile`, `replace`.
import { compareKeys, type SourceKey } from "./key.ts";
import {
  applyDelta,
  findEntry,
  listKeys,
  type Snapshot,
  type SnapshotDelta,
  type SnapshotEntry,
} from "./snapshot.ts";
import type { KeyedText } from "./source.ts";
import type { ObservedContext, ObservedSource, PresentValue } from "./system-context.ts";

// Compares the sources as observed with what the model last received.

/** One difference between the sources as observed and what the model last received. */
type Change =
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
 * Returns true if nothing has changed, which is the usual case. Builds no list, compares hashes and renders
 * nothing.
 */
function isUnchanged(snapshot: Snapshot, observed: ObservedContext): boolean {
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
function listChanges(snapshot: Snapshot, observed: ObservedContext): readonly Change[] {
  const claimed = new Set(observed.map((source) => source.key));
  const absent = observed.filter((source) => source.state.kind === "absent");
  // Nothing reports the sources of a disposed contributor as absent, so they are found by their missing key.
  const disposed = listKeys(snapshot).filter((key) => !claimed.has(key));
  const gone = [...absent.map((source) => source.key), ...disposed].sort(compareKeys);
  return [
    ...observed.flatMap((source) => listSourceChanges(source, findEntry(snapshot, source.key))),
    ...gone.flatMap((key) => listRemovalChanges(key, findEntry(snapshot, key))),
  ];
}

/** Lists the admitted sources that could not be observed. */
function listUnobserved(snapshot: Snapshot, observed: ObservedContext): readonly SourceKey[] {
  return observed
    .filter(({ key, state }) => state.kind === "unavailable" && findEntry(snapshot, key))
    .map((source) => source.key);
}

function listSourceChanges(
  { key, state }: ObservedSource,
  admitted: SnapshotEntry | undefined,
): Change[] {
  if (state.kind !== "present" || state.value.hash === admitted?.hash) return [];
  const { value } = state;
  if (!admitted) return [{ kind: "announce", key, value, render: value.baseline }];
  const render = value.renderUpdateFrom(admitted);
  return render ? [{ kind: "announce", key, value, render }] : [{ kind: "incompatible", key }];
}

function listRemovalChanges(key: SourceKey, admitted: SnapshotEntry | undefined): Change[] {
  if (!admitted) return [];
  if (admitted.removed === null) return [{ kind: "incompatible", key }];
  return [{ kind: "remove", key, text: admitted.removed }];
}

/** A Baseline and its snapshot: every present source and nothing else. */
interface Generation {
  readonly parts: readonly KeyedText[];
  readonly snapshot: Snapshot;
}

type Initialization =
  | ({ readonly kind: "initialized" } & Generation)
  /** The required sources that `keys` names could not be observed. */
  | { readonly kind: "blocked"; readonly keys: readonly SourceKey[] };

type Replacement =
  | ({ readonly kind: "replacement-ready" } & Generation)
  /** The admitted sources that `keys` names could not be observed, and a new Baseline would forget them. */
  | { readonly kind: "replacement-blocked"; readonly keys: readonly SourceKey[] };

export type Reconciliation =
  | { readonly kind: "unchanged" }
  /** `snapshot` is the former snapshot with the delta applied. */
  | ({ readonly kind: "updated"; readonly delta: SnapshotDelta } & Generation)
  | Replacement;

/** Builds the first Baseline. Sources that are unavailable and not required are left out for now. */
export function initialize(observed: ObservedContext): Initialization {
  const missing = observed.filter(
    ({ required, state }) => required && state.kind === "unavailable",
  );
  if (missing.length > 0) return { kind: "blocked", keys: missing.map((source) => source.key) };
  return { kind: "initialized", ...toGeneration(observed) };
}

/** Decides what to announce to a model that last received the snapshot. Renders only the texts that are used. */
export function reconcile(observed: ObservedContext, snapshot: Snapshot): Reconciliation {
  if (isUnchanged(snapshot, observed)) return { kind: "unchanged" };
  const changes = listChanges(snapshot, observed);
  const renderable = changes.filter((change) => change.kind !== "incompatible");
  if (renderable.length < changes.length) return replaceBaseline(observed, snapshot);
  const delta = Object.fromEntries(renderable.map((change) => [change.key, toDeltaEntry(change)]));
  return {
    kind: "updated",
    parts: renderable.map((change) => ({ key: change.key, text: renderChange(change) })),
    delta,
    snapshot: applyDelta(snapshot, delta),
  };
}

/** Builds a new Baseline that replaces an earlier one; the snapshot holds the sources of the earlier one. */
export function replaceBaseline(observed: ObservedContext, snapshot: Snapshot): Replacement {
  const keys = listUnobserved(snapshot, observed);
  if (keys.length > 0) return { kind: "replacement-blocked", keys };
  return { kind: "replacement-ready", ...toGeneration(observed) };
}

/** Returns the exact text of a Baseline or of one update: its parts, separated by blank lines. */
export function joinParts(parts: readonly KeyedText[]): string {
  return parts.map((part) => part.text).join("\n\n");
}

type RenderableChange = Exclude<Change, { readonly kind: "incompatible" }>;

function renderChange(change: RenderableChange): string {
  return change.kind === "announce" ? change.render() : change.text;
}

function toDeltaEntry(change: RenderableChange) {
  return change.kind === "announce" ? change.value.toSnapshotEntry() : null;
}

function toGeneration(observed: ObservedContext): Generation {
  const present = observed.flatMap(({ key, state }) =>
    state.kind === "present" ? [{ key, value: state.value }] : [],
  );
  const parts = present.map(({ key, value }) => ({ key, text: value.baseline() }));
  const snapshot: Snapshot = Object.fromEntries(
    present.map(({ key, value }) => [key, value.toSnapshotEntry()]),
  );
  return { parts, snapshot };
}
