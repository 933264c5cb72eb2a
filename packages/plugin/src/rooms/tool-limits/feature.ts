// Limits of a call's tools as declared to the host; always on.
import type { Feature } from "../../features/feature.ts";

export const toolLimitsFeature: Feature = {
  name: "tool-limits",
  tables: async () => (await import("./store.ts")).toolLimitTables,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
