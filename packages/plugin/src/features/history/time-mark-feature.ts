// Declares the time marks feature to the host.
import type { Feature } from "../../feature-api/feature.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { timeMarkSettings } from "./time-mark-settings.ts";

export const timeMarksFeature: Feature = {
  name: "time-marks",
  isOn: (config) => selectSettings(config, timeMarkSettings).enabled,
  settings: timeMarkSettings,
  open: async (context) => (await import("./create-time-marks.ts")).createTimeMarksFeature(context),
};
