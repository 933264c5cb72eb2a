// The history policy: drafts what a boundary's plan drops and folds.

import type { Boundary } from "../ledger/boundary.ts";
import type { BoundaryView } from "../ledger/boundary-view.ts";
import { type Draft, historyDraft } from "../ledger/draft.ts";
import type { Policy } from "../ledger/policy.ts";
import { foldAsked } from "./fold-request.ts";
import { collectKeptIds } from "./kept.ts";
import {
  isOverfull,
  type Plan,
  planFree,
  planSwitched,
  planWarm,
  type RewriteReason,
} from "./plan.ts";
import { planBefore } from "./plan-before.ts";
import {
  broughtBack,
  type HistoryView,
  noneInherited,
  type ReadInherited,
} from "./restored-parts.ts";
import type { HistorySettings } from "./settings.ts";
import { inCall } from "./stub.ts";
import { noneWritten, type ReadWrittenSegments } from "./written.ts";

/** Names the origin of its entries. */
export const HISTORY_POLICY = "history";

/**
 * `read` returns what a model has written of a history, `inherited` what is kept of the session that it was
 * forked from; both are pure within one boundary.
 */
export function historyPolicy(
  settings: HistorySettings,
  read: ReadWrittenSegments = noneWritten,
  inherited: ReadInherited = noneInherited,
): Policy {
  // Queries the database late: most calls end before they need what a model has written.
  const toHistoryView = (view: BoundaryView): HistoryView => {
    let found: HistoryView["written"] | null = null;
    return {
      ...view,
      kept: collectKeptIds(view),
      get written() {
        found ??= read(view.messages);
        return found;
      },
    };
  };
  /** Keeps plans that pay by their call's space, as they are drafted next. */
  const paying = new WeakMap<BoundaryView["space"], Plan>();
  const pays = (view: BoundaryView) => {
    const plan =
      settings.rewrite === "worth" ? planWarm(toHistoryView(view), inCall(settings, view)) : null;
    if (plan !== null) paying.set(view.space, plan);
    return plan !== null;
  };
  const chooseCurrentPlan = (view: HistoryView) =>
    (toReason(view.boundary) === "worth" && paying.get(view.space)) ||
    planFor(view, inCall(settings, view));
  return {
    name: HISTORY_POLICY,
    scope: "session",
    draft: (view) => {
      const input = toHistoryView(view);
      const said = inCall(settings, view);
      const back = broughtBack(input, said, inherited);
      const isAsIs = back.view === input;
      const plan = isAsIs ? chooseCurrentPlan(input) : planFor(back.view, said);
      return [...back.drafts, ...draftPlan(plan)];
    },
    pays,
  };
}

/** Plans this boundary; null: it drops and folds nothing. */
export function planFor(view: HistoryView, settings: HistorySettings): Plan | null {
  const reason = toReason(view.boundary);
  if (view.boundary.kind === "switched" && settings.rewrite === "worth")
    return planSwitched(view, settings);
  switch (reason) {
    case null:
      return null;
    case "worth":
      return planWarm(view, settings);
    case "cold":
      return settings.rewrite === "worth" || isOverfull(view, settings)
        ? planFree(view, settings, reason)
        : null;
    case "pressure":
      return planFree(view, settings, reason);
    case "asked":
      return planAsked(view, settings);
  }
}

/** Plans the requested fold; null: the user's command is another one, or the prompt that he named is undone. */
function planAsked(view: HistoryView, settings: HistorySettings): Plan | null {
  const asked = foldAsked(view.proposals);
  if (asked === null)
    return isOverfull(view, settings) ? planFree(view, settings, "pressure") : null;
  return asked.before === null
    ? planFree(view, settings, "asked")
    : planBefore(view, settings, asked.before);
}

/** Returns the reason for a rewrite; null: what was sent stays as it is. */
export function toReason({ kind }: Boundary): RewriteReason | null {
  switch (kind) {
    case "ordinary":
    case "reverted":
      return null;
    case "worth":
      return "worth";
    case "pressure":
      return "pressure";
    case "command":
      return "asked";
    case "first":
    case "compacted":
    case "moved":
    case "replaced":
    case "model":
    case "folded":
    case "idle":
    case "switched":
      return "cold";
  }
}

function draftPlan(plan: Plan | null): readonly Draft[] {
  if (plan === null) return [];
  return [...plan.drops, ...plan.folds].map(historyDraft);
}
