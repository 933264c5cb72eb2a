// What history's policy gets of the configuration.
import type { House } from "../../features/house.ts";
import { settingsOf } from "../../features/settings.ts";
import { rememberedMeasure } from "../../history/measure.ts";
import type { HistorySettings } from "../../history/settings.ts";
import { recallSettings } from "../recall/settings.ts";
import { keepRules } from "./keep-rules.ts";
import { historyConfig } from "./settings.ts";

/** Null: history is never rewritten. */
export function historySettings({
  config,
  location: { directory },
}: Pick<House, "config" | "location">): HistorySettings | null {
  const { rewrite, keepTokens, budgetTokens, keep } = settingsOf(config, historyConfig);
  if (rewrite === "off") return null;
  const wayBack = settingsOf(config, recallSettings).enabled ? "ctx_expand" : "none";
  return {
    ...{ rewrite, keepTokens, budgetTokens, directory, wayBack },
    measure: rememberedMeasure(),
    keep: keepRules(keep),
  };
}
