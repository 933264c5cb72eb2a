// The feature: spans of what the runtime does.
import type { Feature } from "../../features/feature.ts";
import { tracesSettings } from "./settings.ts";

export const traces: Feature = {
  name: "traces",
  settings: tracesSettings,
  open: async (house) => (await import("./room.ts")).openTraces(house),
};
