// Creates the nudges feature: its policy, if `ctx_reduce` is available.
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { historySettings } from "./history-settings.ts";
import { nudgePolicy } from "./nudge.ts";
import { isReduceEnabled } from "./reduce-tool.ts";

export function createNudgesFeature(
  context: Pick<FeatureContext, "config" | "location">,
): FeatureInstance {
  const history = historySettings(context);
  return history === null || !isReduceEnabled(context.config)
    ? {}
    : { policies: [nudgePolicy(history)] };
}
