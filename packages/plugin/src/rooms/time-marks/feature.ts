// Time marks as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { settingsOf } from "../../features/settings.ts";
import { timeMarkSettings } from "./settings.ts";

export const timeMarksFeature: Feature = {
  name: "time-marks",
  isOn: (config) => settingsOf(config, timeMarkSettings).enabled,
  settings: timeMarkSettings,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
