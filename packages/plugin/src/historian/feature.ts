// The historian as the host is told of it.
import type { Feature } from "../features/feature.ts";
import { settingsOf } from "../features/settings.ts";
import { historianConfig } from "./config.ts";

export const historianFeature: Feature = {
  name: "historian",
  isOn: (config) => settingsOf(config, historianConfig).enabled,
  settings: historianConfig,
  tables: async () => (await import("./segment-table.ts")).historianTables,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
