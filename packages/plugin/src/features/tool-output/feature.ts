// Declares the bounds of tool results and the limits of a call's tools to the host.
import { FAILURE_BOUNDS, WITHHELD_TOOLS } from "../../feature-api/extension-points.ts";
import { defineFeature } from "../../feature-api/feature.ts";

export const toolOutputFeature = defineFeature({
  name: "tool-output",
  provides: { boundFailure: FAILURE_BOUNDS },
  open: async (context) =>
    (await import("./create-tool-output.ts")).createToolOutputFeature(context),
});

// Limits of a call's tools as declared to the host; always on.

export const toolLimitsFeature = defineFeature({
  name: "tool-limits",
  tables: async () => (await import("./tool-limit-store.ts")).toolLimitTables,
  provides: { withheldTools: WITHHELD_TOOLS },
  open: async (context) =>
    (await import("./create-tool-limits.ts")).createToolLimitsFeature(context),
});
