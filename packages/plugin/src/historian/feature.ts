// The historian as the host is told of it.
import type { Feature } from "../features/feature.ts";
import { settingsOf } from "../features/settings.ts";
import { historyConfig } from "../history/config.ts";
import { historianConfig } from "./config.ts";

export const historianFeature: Feature = {
  name: "historian",
  // Its segments are for the fold: without one nobody would read them.
  isOn: (config) =>
    settingsOf(config, historianConfig).enabled &&
    settingsOf(config, historyConfig).rewrite !== "off",
  settings: historianConfig,
  tables: async () => (await import("./segment-table.ts")).historianTables,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
