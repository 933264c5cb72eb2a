// Describes the plugin with default settings, for simulations.
import { createCachedMeasure } from "@session-runtime/opencode/history/measured-history";
import type { HistorySettings } from "@session-runtime/opencode/history/settings";

/** Counts the tokens that our part of the system prompt and our tools add to a call's front. */
export const OWN_FRONT_TOKENS = 450;

export function usualHistory(): HistorySettings {
  return {
    rewrite: "worth",
    keepTokens: "auto",
    budgetTokens: "auto",
    wayBack: "ctx_expand",
    directory: "/project",
    measure: createCachedMeasure(),
    keep: null,
  };
}
