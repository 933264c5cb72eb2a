// Declares the nudges feature to the host.
import type { Feature } from "../../feature-api/feature.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { nudgeSettings } from "./nudge-settings.ts";

export const nudgesFeature: Feature = {
  name: "nudges",
  isOn: (config) => selectSettings(config, nudgeSettings).enabled,
  settings: nudgeSettings,
  open: async (context) => (await import("./create-nudges.ts")).createNudgesFeature(context),
};
