// Limits of a call's tools as declared to the host; always on.
import { defineFeature } from "../../features/define-feature.ts";
import { TOOLS_ASIDE } from "../../features/extension-points.ts";

export const toolLimitsFeature = defineFeature({
  name: "tool-limits",
  tables: async () => (await import("./store.ts")).toolLimitTables,
  provides: { withheldTools: TOOLS_ASIDE },
  open: async (context) => (await import("./room.ts")).createToolLimitsFeature(context),
});
