// Nudges as declared to the host.
import type { Feature } from "../../features/feature.ts";
import { selectSettings } from "../../features/settings.ts";
import { nudgeSettings } from "./settings.ts";

export const nudgesFeature: Feature = {
  name: "nudges",
  isOn: (config) => selectSettings(config, nudgeSettings).enabled,
  settings: nudgeSettings,
  open: async (context) => (await import("./room.ts")).createNudgesFeature(context),
};
