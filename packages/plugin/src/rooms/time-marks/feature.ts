// Time marks as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { selectSettings } from "../../features/settings.ts";
import { timeMarkSettings } from "./settings.ts";

export const timeMarksFeature: Feature = {
  name: "time-marks",
  isOn: (config) => selectSettings(config, timeMarkSettings).enabled,
  settings: timeMarkSettings,
  open: async (context) => (await import("./room.ts")).createTimeMarksFeature(context),
};
