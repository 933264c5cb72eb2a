// Search hints as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { settingsOf } from "../../features/settings.ts";
import { searchHintSettings } from "./settings.ts";

export const searchHintsFeature: Feature = {
  name: "search-hints",
  isOn: (config) => settingsOf(config, searchHintSettings).enabled,
  settings: searchHintSettings,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
