// Memory as the host is told of it.
import type { Feature } from "../features/feature.ts";
import { settingsOf } from "../features/settings.ts";
import { memorySettings } from "./settings.ts";
import { memoryTool, noteTool } from "./tools.ts";

export const memoryFeature: Feature = {
  name: "memory",
  isOn: (config) => settingsOf(config, memorySettings).enabled,
  tools: [memoryTool, noteTool],
  settings: memorySettings,
  tables: async () => (await import("./schema.ts")).memorySchemaPart,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
