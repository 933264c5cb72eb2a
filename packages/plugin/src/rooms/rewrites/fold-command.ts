// /ctx-fold: folds at the next message, and says before what that costs; where it would not pay, it asks first.
import type { ActionAnswer, CommandCall } from "../../features/command.ts";
import type { House } from "../../features/house.ts";
import { type Plan, planFree } from "../../history/plan.ts";
import { scaleOf } from "../../history/scale.ts";
import type { HistorySettings } from "../../history/settings.ts";
import type { HistoryInput } from "../../history/survey.ts";
import { count, counted } from "../../status/wording.ts";

/** The kind of proposal as which it waits; the boundary that it makes is all that it asks for. */
export const FOLD_NOW = "fold-now";

type FoldHouse = Pick<House, "nextCall" | "propose" | "written">;

export async function foldNow(
  { nextCall, propose, written }: FoldHouse,
  settings: HistorySettings,
  { sessionId, args }: Pick<CommandCall, "sessionId" | "args">,
): Promise<ActionAnswer> {
  const word = args.trim();
  if (word !== "" && word !== ANYWAY) return { text: USAGE, shownBy: "note" };
  const next = await nextCall(sessionId);
  const input = next && { ...next, written: written(next.messages) };
  const plan = input && planFree(input, settings, "asked");
  if (!input || !plan) return { text: NOTHING_TO_FOLD, shownBy: "note" };
  if (word !== ANYWAY && !isWorthwhile(plan, input)) {
    return { text: losing(plan, input), shownBy: "note" };
  }
  propose({ kind: FOLD_NOW, sessionId, urgency: "command", output: null });
  return { text: planned(plan, input), shownBy: "note" };
}

const ANYWAY = "anyway";

const USAGE = `Give \`/ctx-fold\` nothing, or \`${ANYWAY}\`.`;

/** A fold that so many calls don't earn back costs more than it saves in nearly every session. */
const MOST_CALLS_TO_PAY = 50;

/** By how many calls its price is earned back. */
function callsToPay({ saved, cost }: Plan, { space }: HistoryInput): number {
  if (cost === 0 && saved > 0) return 0;
  return cost / Math.max(0, space.rates.read * saved);
}

function isWorthwhile(plan: Plan, input: HistoryInput): boolean {
  return callsToPay(plan, input) <= MOST_CALLS_TO_PAY;
}

function losing(plan: Plan, input: HistoryInput): string {
  const scale = scaleOf(input);
  const calls = callsToPay(plan, input);
  const spares =
    plan.saved > 0
      ? `each call after it would read about ${count(scale * plan.saved)} fewer from the cache, which is cheap`
      : "no call after it would read less";
  const earned = Number.isFinite(calls) ? `: it takes ${count(calls)} calls to earn that back` : "";
  return `A fold would not pay now. Your next message would cost up to ${count(scale * plan.cost)} input tokens more, and ${spares}${earned}. Nothing was changed. Fold all the same? Send \`/ctx-fold ${ANYWAY}\`.`;
}

const NOTHING_TO_FOLD =
  "There is nothing to fold: all that the model has of this session is new enough to be sent verbatim, or is folded already.";

/** What will happen, in the provider's tokens. */
function planned({ drops, folds, saved, cost }: Plan, input: HistoryInput): string {
  const scale = scaleOf(input);
  const folded = folds.reduce((sum, { first, last }) => sum + messagesIn(input, first, last), 0);
  const done = [
    ...(folded > 0 ? [`${counted(folded, "message")} folded into a record`] : []),
    ...(drops.length > 0 ? [`${counted(drops.length, "old part")} dropped`] : []),
  ];
  const price =
    cost === 0 ? "" : ` That call pays up to ${count(scale * cost)} more, in input tokens.`;
  return `At your next message: ${done.join(", ")}. Each call is spared about ${count(scale * saved)} tokens from then on.${price} Nothing is lost: /ctx-history shows the record then.`;
}

function messagesIn({ messages }: HistoryInput, first: string, last: string): number {
  const place = (id: string) => messages.findIndex(({ info }) => info.id === id);
  return place(last) - place(first) + 1;
}
