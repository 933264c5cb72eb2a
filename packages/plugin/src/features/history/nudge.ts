// Defines the policy of nudges: it adds a line at the tail when much old output could be dropped.
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { collectKeptIds } from "../../history/kept.ts";
import { countDroppableTokens } from "../../history/plan.ts";
import type { HistorySettings } from "../../history/settings.ts";
import type { EditOf } from "../../ledger/edit.ts";
import { createLinePolicy } from "../../ledger/line-at-end.ts";
import type { BoundaryView, Policy } from "../../ledger/policy.ts";
import { resolveHistorySettings } from "./history-settings.ts";
import { REDUCE_PROPOSAL_KIND } from "./reduce.ts";
import { isReduceEnabled, reduceTool } from "./reduce-tool.ts";

/** The origin recorded for the policy's entries. */
const NUDGES_POLICY = "nudges";

/** The minimum number of calls between two nudges. */
const MIN_CALLS_BETWEEN_NUDGES = 30;
/** The minimum share of the model's window that must be droppable; less is not worth a line. */
const MIN_DROPPABLE_SHARE = 1 / 8;
const MIN_DROPPABLE_TOKENS = 4_000;
/** The minimum number of droppable tokens if the model's window is unknown. */
const DEFAULT_MIN_DROPPABLE_TOKENS = 16_000;

export function createNudgePolicy(history: HistorySettings): Policy {
  return createLinePolicy(NUDGES_POLICY, (view, _newest, earlier) => {
    const { boundary, withheld, proposals } = view;
    // At any other boundary, history itself drops what can be dropped.
    if (boundary.kind !== "ordinary" && boundary.kind !== "reverted") return null;
    // Null means that the offered tools are unknown, which counts as `ctx_reduce` not being offered.
    if (withheld === null || withheld.has(reduceTool.name)) return null;
    if (countCallsSince(view, earlier) < MIN_CALLS_BETWEEN_NUDGES) return null;
    // A queued reduction waits for a boundary at which it pays.
    if (proposals.some(({ kind }) => kind === REDUCE_PROPOSAL_KIND)) return null;
    const tokens = countDroppableTokens(
      { ...view, written: [], kept: collectKeptIds(view) },
      history,
    );
    return tokens < computeMinDroppableTokens(view) ? null : renderNudge(tokens, view);
  });
}

/**
 * Counts the calls after the newest nudge. A nudge that a fold or a compaction has removed was before the end
 * of that fold, so counting starts there.
 */
function countCallsSince(
  { messages, standing }: BoundaryView,
  nudges: readonly EditOf<"insert">[],
): number {
  const foldEnds = standing.flatMap(({ edit }) => (edit?.verb === "fold" ? [edit.last] : []));
  const ends = new Set([...foldEnds, ...nudges.map(({ after }) => after.messageId)]);
  const from = messages.findLastIndex(({ info }) => ends.has(info.id));
  return messages.slice(from + 1).filter(({ info }) => info.role === "assistant").length;
}

function computeMinDroppableTokens({ space: { usableTokens } }: BoundaryView): number {
  if (usableTokens === null) return DEFAULT_MIN_DROPPABLE_TOKENS;
  return Math.max(MIN_DROPPABLE_TOKENS, Math.round(usableTokens * MIN_DROPPABLE_SHARE));
}

function renderNudge(tokens: number, { withheld }: Pick<BoundaryView, "withheld">): string {
  const about = Math.round(tokens / 1000);
  const found = withheld?.has("ctx_search") ? "" : "; ctx_search still finds them";
  return `About ${about},000 tokens of tool results look spent. Drop those you no longer need with ctx_reduce${found}.`;
}

// Creates the nudges feature: its policy, if `ctx_reduce` is available.

export function createNudgesFeature(
  context: Pick<FeatureContext, "config" | "location">,
): FeatureInstance {
  const history = resolveHistorySettings(context);
  return history === null || !isReduceEnabled(context.config)
    ? {}
    : { policies: [createNudgePolicy(history)] };
}
