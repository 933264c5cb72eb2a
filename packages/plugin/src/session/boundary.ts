// What a boundary adds to the ledger; pure.
import { wrapUpdate } from "../context/lowering.ts";
import type { Observed } from "../context/observe.ts";
import { initialize, joinParts, reconcile } from "../context/operations.ts";
import { applyDelta } from "../context/snapshot.ts";
import { admitPrune } from "../policies/admit-prune.ts";
import { boundFailures } from "../policies/bound-failures.ts";
import type { Draft } from "../policies/draft.ts";
import { holdReminders } from "../policies/hold-reminders.ts";
import { recordUndo } from "../policies/record-undo.ts";
import { tellUpdate } from "../policies/tell-update.ts";
import { admissible } from "../projection/admission.ts";
import { type Boundary, isCold } from "../projection/boundary.ts";
import type { LedgerEdit } from "../projection/edit.ts";
import { watermark } from "../projection/position.ts";
import type { EntryRecord, EpochCause } from "../storage/records.ts";
import type { SessionMessage } from "./history.ts";
import { tellable } from "./tellable.ts";
import { lastTexts, type SessionView } from "./view.ts";

export interface BoundaryInput {
  readonly view: SessionView;
  readonly messages: readonly SessionMessage[];
  readonly observed: Observed;
  readonly sent: ReadonlySet<string>;
  /** What the host itself showed the model since the last call. */
  readonly witnessed: readonly Draft[];
  /** The same from the beginning of the history: in a new epoch nothing of it is on record. */
  readonly shown: () => readonly Draft[];
  /** By part id, what failed calls say in place of a text that is over the limit. */
  readonly boundedFailures: ReadonlyMap<string, string>;
  readonly idleMs: number;
  readonly cacheTtlMs: number;
  /** Whether the host blanks old tool results between turns. */
  readonly hostPrune: "on" | "off";
  /** A cause for a new epoch that the history does not show: a model switch, when so configured. */
  readonly asked: EpochCause | null;
}

interface Decided {
  readonly drafts: readonly Draft[];
  /** As it was given, but for sources whose rendering failed: those count as unavailable. */
  readonly observed: Observed;
}

export type Decision =
  | (Decided & { readonly kind: "steady" })
  | (Decided & { readonly kind: "opening"; readonly cause: EpochCause });

/** What this boundary adds to the ledger. Pure: the same input gives the same entries. */
export function decide(input: BoundaryInput): Decision {
  const cause = input.view.opening ?? input.asked;
  if (cause !== null) return opening(input, cause);
  const snapshot = told(input);
  const { outcome: change, observed } = tellable(input.observed, (seen) =>
    reconcile(seen, snapshot),
  );
  switch (change.kind) {
    case "replacement-ready":
      return opening({ ...input, observed }, "replaced");
    case "updated": {
      const text = wrapUpdate(joinParts(change.parts));
      const update = tellUpdate(input.messages, { text, told: change.parts, delta: change.delta });
      return steady(input, observed, update ? [update] : []);
    }
    case "replacement-blocked":
    case "unchanged":
      return steady(input, observed, []);
  }
}

function steady(input: BoundaryInput, observed: Observed, updates: readonly Draft[]): Decision {
  return { kind: "steady", observed, drafts: admitted(input, boundaryOf(input), updates) };
}

/** What the Baseline will say is tried here, where a source that fails can still be left out. */
function opening(input: BoundaryInput, cause: EpochCause): Decision {
  const { observed } = tellable(input.observed, initialize);
  return { kind: "opening", cause, observed, drafts: openingDrafts(input, cause) };
}

/** The snapshot with what the host showed since: a nested instruction is not told twice. */
function told(input: BoundaryInput) {
  return input.witnessed.reduce(
    (snapshot, draft) => applyDelta(snapshot, draft.delta),
    input.view.snapshot,
  );
}

function boundaryOf(input: BoundaryInput): Boundary {
  if (input.idleMs > input.cacheTtlMs) return { kind: "idle", idleMs: input.idleMs };
  if (input.view.withdrawn > 0) return { kind: "reverted" };
  return { kind: "ordinary" };
}

function admitted(
  input: BoundaryInput,
  boundary: Boundary,
  updates: readonly Draft[],
): readonly Draft[] {
  const mark = watermark(input.messages, input.sent);
  const place = { messages: input.messages, watermark: mark, boundary };
  const history = historyDrafts(input, boundary, input.view.standing).filter(
    (draft) => draft.edit !== null && admissible(draft.edit, place),
  );
  const { snapshot: standing, recorded } = input.view;
  const undo =
    standing === recorded
      ? []
      : recordUndo(input.messages, { standing, recorded, texts: lastTexts(input.view) });
  // The order of the ledger is the order on the wire: what the host pushed, then what changed.
  return [...undo, ...history, ...input.witnessed, ...updates];
}

/** In a new epoch nothing of the former one stands, and nothing is told before its Baseline is stored. */
function openingDrafts(input: BoundaryInput, cause: EpochCause): readonly Draft[] {
  const boundedFailures = new Map([
    ...replacedTexts(input.view.standing),
    ...input.boundedFailures,
  ]);
  // What the former epoch was about to note does not hold a prune back: it is sent as it is now.
  const witnessed = input.shown();
  const history = historyDrafts({ ...input, boundedFailures, witnessed }, { kind: cause }, []);
  return [...history, ...witnessed];
}

/** By part id: what was bounded in the former epoch stays as it was said there. */
function replacedTexts(standing: readonly EntryRecord[]): ReadonlyMap<string, string> {
  return new Map(
    standing.flatMap(({ edit }) =>
      edit?.verb === "replace" ? [[edit.at.partId, edit.text] as const] : [],
    ),
  );
}

function historyDrafts(
  input: BoundaryInput,
  boundary: Boundary,
  standing: readonly EntryRecord[],
): readonly Draft[] {
  const edits = ledgerEdits(standing);
  const reminders = holdReminders(input.messages, edits);
  const failures = boundFailures(input.messages, input.boundedFailures, edits);
  const first = [...reminders, ...failures];
  if (input.hostPrune === "off" || !isCold(boundary)) return first;
  // A result that showed an instruction is the place where that was told: it stays.
  const showing = [
    ...standing,
    ...input.witnessed.map(({ anchor }) => ({ edit: null, ...anchor })),
  ];
  const kept = new Set(
    showing.flatMap(({ edit, partId }) => {
      if (edit === null) return partId === null ? [] : [partId];
      return edit.verb === "replace" ? [edit.at.partId] : [];
    }),
  );
  return [...first, ...admitPrune(input.messages, kept)];
}

/** The edits among entries, as replay takes them. */
export function ledgerEdits(entries: readonly EntryRecord[]): readonly LedgerEdit[] {
  return entries.flatMap(({ seq, edit }) => (edit === null ? [] : [{ seq, edit }]));
}
