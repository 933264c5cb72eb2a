// Nudges in one plugin instance: the policy, where there is something to let go with.
import type { FeatureInstance } from "../../features/feature.ts";
import type { FeatureContext } from "../../features/house.ts";
import { isReduceEnabled } from "../let-go/tool.ts";
import { historySettings } from "../rewrites/history-settings.ts";
import { nudgePolicy } from "./nudge.ts";

export function createNudgesFeature(
  context: Pick<FeatureContext, "config" | "location">,
): FeatureInstance {
  const history = historySettings(context);
  return history === null || !isReduceEnabled(context.config)
    ? {}
    : { policies: [nudgePolicy(history)] };
}
