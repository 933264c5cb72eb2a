// Nudges as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { settingsOf } from "../../features/settings.ts";
import { nudgeSettings } from "./settings.ts";

export const nudgesFeature: Feature = {
  name: "nudges",
  isOn: (config) => settingsOf(config, nudgeSettings).enabled,
  settings: nudgeSettings,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
