// The history policy: drafts the drops and folds of a boundary's plan.
import * as z from "zod";
import type { Boundary } from "../ledger/boundary.ts";
import { createHistoryDraft, type Draft } from "../ledger/entry.ts";
import type { BoundaryView, Policy, Proposal } from "../ledger/policy.ts";
import { collectKeptIds } from "./kept.ts";
import {
  isOverfull,
  type Plan,
  planEverything,
  planFree,
  planSwitched,
  planWarm,
  type RewriteReason,
} from "./plan.ts";
import {
  collectRestored,
  type HistoryView,
  type ReadInherited,
  readNothingInherited,
} from "./restored-parts.ts";
import type { HistorySettings } from "./settings.ts";
import { adaptToCall } from "./stub.ts";
import { type HistoryInput, measureInput, surveyHistory } from "./survey.ts";
import { type ReadWrittenSegments, readNothingWritten } from "./written.ts";

// Holds a request of /ctx-fold until a boundary carries it out.

/** Names the kind of proposal, which requests nothing but the boundary that it causes. */
export const FOLD_NOW = "fold-now";

interface FoldRequest {
  /** The prompt before which all work is folded; null to fold as much as a rewrite would take by itself. */
  readonly before: string | null;
}

const foldSchema: z.ZodType<FoldRequest> = z.object({ before: z.string().nullable() });

const FOLD_ALL: FoldRequest = { before: null };

/** Returns the newest request, or all if there is no command; null if the command is another one. */
function findFoldRequest(proposals: readonly Proposal[]): FoldRequest | null {
  const commands = proposals.filter(({ urgency }) => urgency === "command");
  if (commands.length === 0) return FOLD_ALL;
  const asked = commands.findLast(({ kind }) => kind === FOLD_NOW);
  if (asked === undefined) return null;
  const read = foldSchema.safeParse(asked.output);
  return read.success ? read.data : FOLD_ALL;
}

// Plans a fold whose place the user has given: all work before one of his messages.

/**
 * Plans as if the tail began with that message, however long that makes the tail; null if nothing can be
 * folded.
 */
export function planBefore(
  input: HistoryInput,
  settings: HistorySettings,
  messageId: string,
): Plan | null {
  const { rows, totalTokens } = measureInput(input, settings);
  const row = rows.find(({ kind, message }) => kind === "own" && message.info.id === messageId);
  if (row === undefined) return null;
  return planEverything(
    surveyHistory(input, settings, totalTokens - row.end + row.tokens),
    "asked",
  );
}

/** Names the origin of the history policy's entries. */
export const HISTORY_POLICY = "history";

/**
 * Creates the policy. `read` returns what a model has written about a history, `inherited` what is kept from
 * the session that it was forked from; both are pure within one boundary.
 */
export function createHistoryPolicy(
  settings: HistorySettings,
  read: ReadWrittenSegments = readNothingWritten,
  inherited: ReadInherited = readNothingInherited,
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
  /** Keeps plans that pay, keyed by their call's space, as they are drafted next. */
  const paying = new WeakMap<BoundaryView["space"], Plan>();
  const isWorthwhile = (view: BoundaryView) => {
    const plan =
      settings.rewrite === "worth"
        ? planWarm(toHistoryView(view), adaptToCall(settings, view))
        : null;
    if (plan !== null) paying.set(view.space, plan);
    return plan !== null;
  };
  const chooseCurrentPlan = (view: HistoryView) =>
    (toReason(view.boundary) === "worth" && paying.get(view.space)) ||
    planBoundary(view, adaptToCall(settings, view));
  return {
    name: HISTORY_POLICY,
    scope: "session",
    draft: (view) => {
      const input = toHistoryView(view);
      const said = adaptToCall(settings, view);
      const back = collectRestored(input, said, inherited);
      const isAsIs = back.view === input;
      const plan = isAsIs ? chooseCurrentPlan(input) : planBoundary(back.view, said);
      return [...back.drafts, ...toDrafts(plan)];
    },
    pays: isWorthwhile,
  };
}

/** Plans this boundary; null if it drops and folds nothing. */
export function planBoundary(view: HistoryView, settings: HistorySettings): Plan | null {
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
      return planRequested(view, settings);
  }
}

/**
 * Plans the requested fold; null if the user's command is another one, or the prompt that he named is undone.
 */
function planRequested(view: HistoryView, settings: HistorySettings): Plan | null {
  const asked = findFoldRequest(view.proposals);
  if (asked === null)
    return isOverfull(view, settings) ? planFree(view, settings, "pressure") : null;
  return asked.before === null
    ? planFree(view, settings, "asked")
    : planBefore(view, settings, asked.before);
}

/** Returns the reason for a rewrite; null if what was sent stays unchanged. */
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

function toDrafts(plan: Plan | null): readonly Draft[] {
  if (plan === null) return [];
  return [...plan.drops, ...plan.folds].map(createHistoryDraft);
}
