// Recall as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { settingsOf } from "../../features/settings.ts";
import { recallSettings } from "./settings.ts";
import { expandTool, searchTool } from "./tools.ts";

export const recallFeature: Feature = {
  name: "recall",
  isOn: (config) => settingsOf(config, recallSettings).enabled,
  tools: [searchTool, expandTool],
  settings: recallSettings,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
