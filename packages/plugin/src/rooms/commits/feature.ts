// Commits as declared to the host: they are found by recall's tools.
import type { Feature } from "../../features/feature.ts";
import { settingsOf } from "../../features/settings.ts";
import { commitSettings } from "./settings.ts";

export const commitsFeature: Feature = {
  name: "commits",
  isOn: (config) => settingsOf(config, commitSettings).enabled,
  settings: commitSettings,
  open: async (house) => (await import("./room.ts")).openRoom(house),
};
