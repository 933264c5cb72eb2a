// Finds the places where /ctx-fold may end: before one of the last prompts, with what each would save.

import { toSingleLine } from "../../context/neutralize.ts";
import type { Plan } from "../../history/plan.ts";
import { planBefore } from "../../history/plan-before.ts";
import { measureScale } from "../../history/scale.ts";
import type { HistorySettings } from "../../history/settings.ts";
import type { HistoryInput } from "../../history/survey.ts";
import { type HostMessage, isTyped } from "../../ledger/message.ts";
import { count } from "../../status/wording.ts";

/** Lists prompts, newest first: 1 is the last one. */
export function promptsIn(messages: readonly HostMessage[]): readonly HostMessage[] {
  return messages
    .filter(({ info, parts }) => info.role === "user" && parts.some(isTyped))
    .toReversed();
}

const MAX_LISTED = 8;
const WORDS_CHARS = 60;

/** Lists the last prompts with what a fold before each would save; null if no place would save anything. */
export function placesToFold(input: HistoryInput, settings: HistorySettings): string | null {
  const scale = measureScale(input, settings.measure);
  let best = 0;
  const lines = promptsIn(input.messages)
    .slice(0, MAX_LISTED)
    .map((prompt, index) => {
      const saved = countSavedTokens(planBefore(input, settings, prompt.info.id));
      best = Math.max(best, saved);
      const spares =
        saved === 0 ? "nothing to fold" : `spares about ${count(scale * saved)} tokens`;
      return `${index + 1}. “${quoteMessage(prompt)}”: ${spares}`;
    });
  if (best === 0) return null;
  return ["`/ctx-fold before` and a number folds all work before that prompt:", "", ...lines].join(
    "\n",
  );
}

function countSavedTokens(plan: Plan | null): number {
  return Math.max(0, plan?.saved ?? 0);
}

function quoteMessage({ parts }: HostMessage): string {
  const text = parts.flatMap((part) => (isTyped(part) ? [part.text] : [])).join(" ");
  const words = toSingleLine(text).replace(/\s+/g, " ").trim();
  return words.length <= WORDS_CHARS ? words : `${[...words].slice(0, WORDS_CHARS).join("")}…`;
}
