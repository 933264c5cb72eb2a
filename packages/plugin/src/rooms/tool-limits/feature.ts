// Limits of a call's tools as declared to the host; always on.
import { defineFeature } from "../../features/define-feature.ts";
import { TOOLS_ASIDE } from "../../features/extension-points.ts";

export const toolLimitsFeature = defineFeature({
  name: "tool-limits",
  tables: async () => (await import("./store.ts")).toolLimitTables,
  provides: { toolsAside: TOOLS_ASIDE },
  open: async (house) => (await import("./room.ts")).openRoom(house),
});
