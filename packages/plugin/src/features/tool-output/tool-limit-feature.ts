// Limits of a call's tools as declared to the host; always on.
import { defineFeature } from "../../feature-api/define-feature.ts";
import { WITHHELD_TOOLS } from "../../feature-api/extension-points.ts";

export const toolLimitsFeature = defineFeature({
  name: "tool-limits",
  tables: async () => (await import("./tool-limit-store.ts")).toolLimitTables,
  provides: { withheldTools: WITHHELD_TOOLS },
  open: async (context) =>
    (await import("./create-tool-limits.ts")).createToolLimitsFeature(context),
});
