// Plans a fold that the user gives a place: all work before one of his messages.
import { type Plan, planEverything } from "./plan.ts";
import type { HistorySettings } from "./settings.ts";
import { type HistoryInput, sheetIn, surveyHistory } from "./survey.ts";

/** Plans as if the tail began with that message, however long that is; null if nothing can be folded. */
export function planBefore(
  input: HistoryInput,
  settings: HistorySettings,
  messageId: string,
): Plan | null {
  const { rows, totalTokens } = sheetIn(input, settings);
  const row = rows.find(({ kind, message }) => kind === "own" && message.info.id === messageId);
  if (row === undefined) return null;
  return planEverything(
    surveyHistory(input, settings, totalTokens - row.end + row.tokens),
    "asked",
  );
}
