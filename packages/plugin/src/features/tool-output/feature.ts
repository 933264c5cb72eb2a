// Declares to the host the bounds of tool results and the limits on a call's tools.
import { FAILURE_BOUNDS, WITHHELD_TOOLS } from "../../feature-api/extension-points.ts";
import { defineFeature } from "../../feature-api/feature.ts";

export const toolOutputFeature = defineFeature({
  name: "tool-output",
  provides: { boundFailure: FAILURE_BOUNDS },
  open: async (context) =>
    (await import("./create-tool-output.ts")).createToolOutputFeature(context),
});

// Declares to the host the limits on a call's tools; always on.

export const toolLimitsFeature = defineFeature({
  name: "tool-limits",
  tables: async () => (await import("./tool-limit-store.ts")).toolLimitTables,
  provides: { withheldTools: WITHHELD_TOOLS },
  open: async (context) =>
    (await import("./create-tool-limits.ts")).createToolLimitsFeature(context),
});
