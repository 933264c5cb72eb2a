// The policy of nudges: a line at the tail when much old output could be let go.
// Folder: Nudges: a line for the model, rarely, when much could be let go with `ctx_reduce`.
import { wrapUpdate } from "../../context/lowering.ts";
import { looseTokens } from "../../history/plan.ts";
import type { HistorySettings } from "../../history/settings.ts";
import { type Draft, historyDraft } from "../../policies/draft.ts";
import type { Policy } from "../../policies/policy.ts";
import type { View } from "../../policies/view.ts";
import type { HostMessage } from "../../projection/message.ts";
import { LET_GO } from "../let-go/proposal.ts";

/** The origin of its entries. */
const NUDGES_POLICY = "nudges";

/** From one nudge to the next. */
const LEAST_CALLS = 30;
/** Of what the model takes; less is not worth a line. */
const LEAST_SHARE = 1 / 8;
const LEAST_TOKENS = 4_000;
/** Where nobody knows what the model takes. */
const USUAL_LEAST_TOKENS = 16_000;

/** Whether the model of this history's next call is offered `ctx_reduce`; not known counts as no. */
type IsOffered = (messages: readonly HostMessage[]) => boolean;

export function nudgePolicy(history: HistorySettings, isOffered: IsOffered): Policy {
  return {
    name: NUDGES_POLICY,
    scope: "session",
    draft: (view) => draft(view, history, isOffered),
  };
}

function draft(view: View, history: HistorySettings, isOffered: IsOffered): readonly Draft[] {
  const { boundary, messages, proposals } = view;
  // Anywhere else history takes away itself what could go.
  if (boundary.kind !== "ordinary" && boundary.kind !== "reverted") return [];
  const last = messages.at(-1);
  if (!last || callsSince(view) < LEAST_CALLS || !isOffered(messages)) return [];
  // What was let go waits for a boundary at which it pays.
  if (proposals.some(({ kind }) => kind === LET_GO)) return [];
  const tokens = looseTokens({ ...view, written: [] }, history);
  if (tokens < leastTokens(view)) return [];
  const after = { messageId: last.info.id, partId: null };
  return [historyDraft({ verb: "insert", after, text: nudgeText(tokens) })];
}

/**
 * Calls after the newest nudge. One that a fold or a compaction has taken stood before its end, so that
 * they count from there.
 */
function callsSince({ messages, standing }: View): number {
  const placeOf = new Map(messages.map(({ info }, index) => [info.id, index]));
  const places = standing.flatMap(({ origin, edit }) => {
    if (edit?.verb === "fold") return [placeOf.get(edit.last) ?? -1];
    if (origin !== NUDGES_POLICY || edit?.verb !== "insert") return [];
    return [placeOf.get(edit.after.messageId) ?? -1];
  });
  const from = Math.max(-1, ...places);
  return messages.slice(from + 1).filter(({ info }) => info.role === "assistant").length;
}

function leastTokens({ space: { usableTokens } }: View): number {
  if (usableTokens === null) return USUAL_LEAST_TOKENS;
  return Math.max(LEAST_TOKENS, Math.round(usableTokens * LEAST_SHARE));
}

function nudgeText(tokens: number): string {
  const about = Math.round(tokens / 1000);
  return wrapUpdate(
    `About ${about},000 tokens of tool results look spent. Let go of those that you don't need any more with ctx_reduce; ctx_search still finds them.`,
  );
}
