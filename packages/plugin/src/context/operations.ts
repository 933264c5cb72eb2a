// Decides what to send, given an observation and a Snapshot: `initialize`, `reconcile`, `replace`.
import { type Change, changesBetween, isUnchanged, unobserved } from "./change.ts";
import type { SourceKey } from "./key.ts";
import type { ObservedContext } from "./observe.ts";
import { applyDelta, type Snapshot, type SnapshotDelta } from "./snapshot.ts";
import type { KeyedText } from "./source.ts";

/** A Baseline and its snapshot: every present source and nothing else. */
interface Generation {
  readonly parts: readonly KeyedText[];
  readonly snapshot: Snapshot;
}

type Initialization =
  | ({ readonly kind: "initialized" } & Generation)
  /** These required sources could not be observed. */
  | { readonly kind: "blocked"; readonly keys: readonly SourceKey[] };

type Replacement =
  | ({ readonly kind: "replacement-ready" } & Generation)
  /** These admitted sources could not be observed: a new Baseline would forget them. */
  | { readonly kind: "replacement-blocked"; readonly keys: readonly SourceKey[] };

export type Reconciliation =
  | { readonly kind: "unchanged" }
  /** `snapshot` is the former one with the delta applied. */
  | ({ readonly kind: "updated"; readonly delta: SnapshotDelta } & Generation)
  | Replacement;

/** Builds the first Baseline. Sources that are unavailable and not required are left out for now. */
export function initialize(observed: ObservedContext): Initialization {
  const missing = observed.filter(
    ({ required, state }) => required && state.kind === "unavailable",
  );
  if (missing.length > 0) return { kind: "blocked", keys: missing.map((source) => source.key) };
  return { kind: "initialized", ...generation(observed) };
}

/** Decides what to announce to a model that last received the snapshot. Renders only the texts that are used. */
export function reconcile(observed: ObservedContext, snapshot: Snapshot): Reconciliation {
  if (isUnchanged(snapshot, observed)) return { kind: "unchanged" };
  const changes = changesBetween(snapshot, observed);
  const renderable = changes.filter((change) => change.kind !== "incompatible");
  if (renderable.length < changes.length) return replace(observed, snapshot);
  const delta = Object.fromEntries(renderable.map((change) => [change.key, admitChange(change)]));
  return {
    kind: "updated",
    parts: renderable.map((change) => ({ key: change.key, text: renderChange(change) })),
    delta,
    snapshot: applyDelta(snapshot, delta),
  };
}

/** Builds a new Baseline to replace one whose sources the snapshot holds. */
export function replace(observed: ObservedContext, snapshot: Snapshot): Replacement {
  const keys = unobserved(snapshot, observed);
  if (keys.length > 0) return { kind: "replacement-blocked", keys };
  return { kind: "replacement-ready", ...generation(observed) };
}

/** Returns the exact text of a Baseline, or of one update: the parts with a blank line between. */
export function joinParts(parts: readonly KeyedText[]): string {
  return parts.map((part) => part.text).join("\n\n");
}

type RenderableChange = Exclude<Change, { readonly kind: "incompatible" }>;

function renderChange(change: RenderableChange): string {
  return change.kind === "announce" ? change.render() : change.text;
}

function admitChange(change: RenderableChange) {
  return change.kind === "announce" ? change.value.toSnapshotEntry() : null;
}

function generation(observed: ObservedContext): Generation {
  const present = observed.flatMap(({ key, state }) =>
    state.kind === "present" ? [{ key, value: state.value }] : [],
  );
  const parts = present.map(({ key, value }) => ({ key, text: value.baseline() }));
  const snapshot: Snapshot = Object.fromEntries(
    present.map(({ key, value }) => [key, value.toSnapshotEntry()]),
  );
  return { parts, snapshot };
}
