// Decides what one boundary adds to the ledger.
import { wrapUpdate } from "../context/frames.ts";
import { initialize, joinParts, reconcile } from "../context/operations.ts";
import { applyDelta } from "../context/snapshot.ts";
import { isAdmissible } from "../ledger/admission.ts";
import { boundFailures, withBoundedFailures } from "../ledger/bound-failures.ts";
import { type Boundary, isCold } from "../ledger/boundary.ts";
import { createHistoryDraft, type Entry, listEdits, type NamedDraft } from "../ledger/entry.ts";
import {
  type Announcement,
  type BoundaryView,
  listSessionScoped,
  type Policy,
  type UndoAnnouncement,
} from "../ledger/policy.ts";
import { project, replay } from "../ledger/replay.ts";
import type { EpochCause } from "../storage/records.ts";
import { renderAvailable } from "./source-observation.ts";
import {
  type BoundaryInput,
  type CallView,
  collectClaims,
  collectLastTexts,
  type Decision,
  hidesAnnouncement,
  isFull,
  type SessionView,
} from "./view.ts";

/** Decides what the boundary adds. Pure: the same input gives the same entries. */
export function decideBoundary(input: BoundaryInput): Decision {
  const cause = input.view.opening ?? input.asked ?? findPreparedCause(input);
  if (cause !== null) return decideDueEpoch(input, cause, input.prepared);
  const snapshot = computeCurrentSnapshot(input);
  const { outcome: change, observed } = renderAvailable(input.observed, (seen) =>
    reconcile(seen, snapshot),
  );
  const seen = { ...input, observed };
  switch (change.kind) {
    case "replacement-ready":
      return decideDueEpoch(seen, "replaced", []);
    case "updated": {
      const { parts, delta } = change;
      return decideWithinEpoch(seen, {
        text: wrapUpdate(joinParts(parts)),
        announced: parts,
        delta,
      });
    }
    case "replacement-blocked":
    case "unchanged":
      return decideWithinEpoch(seen, null);
  }
}

/**
 * Returns a cause for a new epoch if a prepared fold was sent for an epoch that could not be stored. Other
 * prepared edits have their own cause in the history; an undo removes that cause, and the edits with it.
 */
function findPreparedCause({ prepared, messages, view }: BoundaryInput): EpochCause | null {
  if (prepared.length === 0) return null;
  const shown = new Set(view.shown.map(({ edit }) => JSON.stringify(edit)));
  const { dormant } = project(listEdits(prepared.map(toProvisionalEntry)), messages);
  const isDue = prepared.some(
    ({ edit }, index) =>
      edit?.verb === "fold" &&
      !dormant.has(toProvisionalSeq(index)) &&
      !shown.has(JSON.stringify(edit)),
  );
  return isDue ? "folded" : null;
}

/**
 * Decides within the epoch. A fold that hides what an update or a result announced opens a new epoch, whose
 * Baseline states it; any other fold joins this epoch, so that what precedes it is read from the cache.
 */
function decideWithinEpoch(input: BoundaryInput, news: Announcement | null): Decision {
  const view = withWorthwhileBoundary(input.policies, buildOrdinaryView(input, news));
  const { admitted, deferred } = siftDrafts(collectDrafts(input.policies, view), view);
  const folds = admitted.some(({ edit }) => edit?.verb === "fold");
  if (folds && hidesAnnouncement(input.view.standing, admitted, input.messages)) {
    const { policies } = input;
    const isOwn = listSessionScoped(policies);
    const kept = admitted.filter(({ origin }) => isOwn.has(origin));
    return decideOpening(input, {
      cause: "folded",
      boundary: view.boundary,
      base: [...carryOverDrafts(input, kept), ...kept],
      deciding: dropOwnPolicies(policies),
      settled: listSettledProposals(input, []),
    });
  }
  return {
    kind: "steady",
    boundary: view.boundary,
    observed: input.observed,
    drafts: admitted,
    deferred,
    settled: listSettledProposals(input, deferred),
  };
}

/**
 * Opens an epoch that has an outside cause, or that was prepared before. The session's own policies have
 * already decided on the prepared edits, so they run again only if the user has requested something since.
 */
function decideDueEpoch(
  input: BoundaryInput,
  cause: EpochCause,
  prepared: readonly NamedDraft[],
): Decision {
  const { policies } = input;
  const isDecided = prepared.length > 0 && !hasCommand(input);
  return decideOpening(input, {
    cause,
    boundary: toOpeningBoundary(input, cause),
    // A process may have died after preparing the epoch: later decisions in the former epoch hold as well.
    base: [...carryOverDrafts(input, prepared), ...prepared],
    deciding: isDecided ? dropOwnPolicies(policies) : policies,
    settled: isDecided ? [] : listSettledProposals(input, []),
  });
}

/** Returns the boundary that policies see in a new epoch. */
function toOpeningBoundary(input: BoundaryInput, cause: EpochCause): Boundary {
  return { kind: hasCommand(input) ? "command" : cause };
}

/**
 * Drops the session's own policies, which have decided already, but keeps `boundFailures`, because a call may
 * have failed since then.
 */
function dropOwnPolicies(policies: readonly Policy[]): readonly Policy[] {
  return policies.filter((policy) => policy.scope === "epoch" || policy === boundFailures);
}

interface EpochPlan extends Pick<Decision & { kind: "opening" }, "cause" | "boundary" | "settled"> {
  /** Drafts that are carried over, and those that this boundary or an earlier one has decided. */
  readonly base: readonly NamedDraft[];
  /** The policies that still decide at this boundary. */
  readonly deciding: readonly Policy[];
}

/** Opens an epoch. The Baseline is rendered on trial here, while a failing source can still be left out. */
function decideOpening(
  input: BoundaryInput,
  { base, deciding, ...beginning }: EpochPlan,
): Decision {
  const { observed } = renderAvailable(input.observed, initialize);
  const drafts = [
    ...base,
    ...collectDrafts(deciding, buildOpeningView(input, beginning.cause, base)),
  ];
  return { kind: "opening", ...beginning, observed, drafts, deferred: [] };
}

/** Gives up a warm cache if a policy says that doing so pays. */
function withWorthwhileBoundary(policies: readonly Policy[], view: BoundaryView): BoundaryView {
  if (isCold(view.boundary) || !policies.some(({ pays }) => pays?.(view))) return view;
  return { ...view, boundary: { kind: "worth" } };
}

function collectDrafts(policies: readonly Policy[], view: BoundaryView): readonly NamedDraft[] {
  return policies.flatMap(({ name, draft }) =>
    draft(view).map((drafted) => ({ ...drafted, origin: name })),
  );
}

interface AdmissionResult {
  readonly admitted: readonly NamedDraft[];
  readonly deferred: readonly NamedDraft[];
}

/** Separates drafts by the admission rule; a proposal's drafts are admitted together or not at all. */
function siftDrafts(drafts: readonly NamedDraft[], view: BoundaryView): AdmissionResult {
  const inadmissible = drafts.filter(({ edit }) => edit !== null && !isAdmissible(edit, view));
  const waiting = new Set(inadmissible.map(({ proposal }) => proposal));
  const isDeferred = (draft: NamedDraft) =>
    inadmissible.includes(draft) || (draft.proposal !== null && waiting.has(draft.proposal));
  return {
    admitted: drafts.filter((draft) => !isDeferred(draft)),
    deferred: drafts.filter(isDeferred),
  };
}

/** Lists the proposals that are settled: those that are not deferred have been taken, or are stale. */
function listSettledProposals(
  { proposals }: BoundaryInput,
  deferred: readonly NamedDraft[],
): readonly number[] {
  const waiting = new Set(deferred.map(({ proposal }) => proposal));
  return proposals.flatMap(({ id }) => (waiting.has(id) ? [] : [id]));
}

/** Updates the snapshot by what the host has shown, so that no nested instruction is announced twice. */
function computeCurrentSnapshot(input: BoundaryInput) {
  return input.witnessed.reduce(
    (snapshot, draft) => applyDelta(snapshot, draft.delta),
    input.view.snapshot,
  );
}

function buildOrdinaryView(input: BoundaryInput, news: Announcement | null): BoundaryView {
  const { view, witnessed } = input;
  return {
    ...pickCallView(input),
    boundary: chooseBoundary(input),
    standing: view.standing,
    former: [],
    claims: collectClaims(view.standing, witnessed),
    undo: findUndo(view),
    news,
    shown: witnessed,
  };
}

/** Builds the view of a new epoch, in which nothing is announced before its Baseline is stored. */
function buildOpeningView(
  input: BoundaryInput,
  cause: EpochCause,
  base: readonly NamedDraft[],
): BoundaryView {
  const standing = base.map(toProvisionalEntry);
  const carried = replay(listEdits(standing), input.messages);
  const { boundedTexts } = input;
  const projected =
    boundedTexts.size === 0 ? carried : withBoundedFailures(carried, boundedTexts, standing);
  const shown = input.shownIn(projected);
  return {
    ...pickCallView(input),
    projected,
    watermark: null,
    boundary: toOpeningBoundary(input, cause),
    standing,
    former: input.view.standing,
    claims: collectClaims(standing, shown),
    undo: null,
    news: null,
    shown,
  };
}

function pickCallView(input: CallView): CallView {
  const { messages, projected, watermark, boundedTexts, hostPrune } = input;
  const { space, withheld, proposals } = input;
  return { messages, projected, watermark, boundedTexts, hostPrune, space, withheld, proposals };
}

function findUndo(view: SessionView): UndoAnnouncement | null {
  const { snapshot: standing, recorded } = view;
  return standing === recorded ? null : { standing, recorded, texts: collectLastTexts(view) };
}

function chooseBoundary({
  coldPauseMs,
  modelCache,
  view,
  space,
  proposals,
}: BoundaryInput): Boundary {
  if (coldPauseMs !== null) return { kind: "idle", idleMs: coldPauseMs };
  if (hasCommand({ proposals })) return { kind: "command" };
  if (isFull(space)) return { kind: "pressure" };
  if (modelCache === "cold") return { kind: "switched" };
  if (view.withdrawn > 0) return { kind: "reverted" };
  return { kind: "ordinary" };
}

/** Says whether the user waits for a command, for which the cache is given up. */
function hasCommand({ proposals }: Pick<BoundaryInput, "proposals">): boolean {
  return proposals.some(({ urgency }) => urgency === "command");
}

/** Carries over the ending epoch's edits that still show beside the new ones. */
function carryOverDrafts(
  { view, messages, policies }: BoundaryInput,
  fresh: readonly NamedDraft[],
): readonly NamedDraft[] {
  const isOwn = listSessionScoped(policies);
  const carried = view.shown.flatMap((entry): readonly NamedDraft[] =>
    entry.edit !== null && isOwn.has(entry.origin)
      ? [{ ...createHistoryDraft(entry.edit), origin: entry.origin }]
      : [],
  );
  if (carried.length === 0) return [];
  const { dormant } = project(listEdits([...carried, ...fresh].map(toProvisionalEntry)), messages);
  return carried.filter((_, index) => !dormant.has(toProvisionalSeq(index)));
}

/** Turns a draft into an entry as if it had been stored already. */
function toProvisionalEntry({ anchor, ...draft }: NamedDraft, index: number): Entry {
  return { ...draft, ...anchor, seq: toProvisionalSeq(index) };
}

function toProvisionalSeq(index: number): number {
  return index + 1;
}
