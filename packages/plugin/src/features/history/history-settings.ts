// Reads the settings of the history policy from the configuration.
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { rememberedMeasure } from "../../history/measure.ts";
import type { HistorySettings } from "../../history/settings.ts";
import { recallSettings } from "../search/settings.ts";
import { keepRules } from "./keep-rules.ts";
import { historyConfig } from "./settings.ts";

/** Returns null if history is never rewritten. */
export function historySettings({
  config,
  location: { directory },
}: Pick<FeatureContext, "config" | "location">): HistorySettings | null {
  const { rewrite, keepTokens, budgetTokens, keep } = selectSettings(config, historyConfig);
  if (rewrite === "off") return null;
  const wayBack = selectSettings(config, recallSettings).enabled ? "ctx_expand" : "none";
  return {
    ...{ rewrite, keepTokens, budgetTokens, directory, wayBack },
    measure: rememberedMeasure(),
    keep: keepRules(keep),
  };
}
